// `npm run check:gitops`: runs the Lua of deploy/argocd in glua, the interpreter that Argo CD has: its own tests, and health.lua on an example
// of every reason and on every state that runs of the simulation reach, each of which must give the health that follows from kstatus. It builds
// glua from Go modules (glua/go.mod), so it is not part of `npm test`.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { parse } from 'yaml';

import { argoFolder, argoKinds, produced, zeroTime } from '../../../.config/argocd.ts';
import { runCommand } from '../../../src/local/run-command.ts';
import { type ConnectionReason } from '../../../src/operator/reasons/reasons.ts';
import { policyKind, requestedAtAnnotation } from '../../../src/policy/resources.ts';
import { readResources } from '../../simulation/kube/resources.ts';
import { runSeed } from '../../simulation/run-seed.ts';
import { storyNames } from '../../simulation/scenarios/stories.ts';
import type { World } from '../../simulation/world.ts';
import { clusterConnection, connection } from '../../support/builders/objects.ts';
import { type ArgoHealth, argoHealthOf, type Observed } from '../../support/checks/argo-health.ts';
import { connectionExamples, produceHealth } from '../../support/reasons/connection-examples.ts';
import { policyExamples } from '../../support/reasons/policy-examples.ts';
import { buildGoTool } from './go-tool.ts';

interface Case {
  /** Below the folder of the customizations. */
  readonly script: string;
  readonly object: Observed;
  readonly expected: unknown;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const scripts = join(root, argoFolder);
const folder = join(root, '.rolealerts', 'glua');
const glua = join(folder, 'glua');

const read = async <T>(path: string) => parse(await readFile(join(scripts, path), 'utf8')) as T;
const healthCase = (object: Observed): Case => ({
  script: `${object.kind}/health.lua`,
  object,
  expected: argoHealthOf(object),
});

/** The tests of Argo CD's repository: health_test.yaml and action_test.yaml. */
async function ownCases(): Promise<Case[]> {
  const cases: Case[] = [];
  for (const kind of argoKinds) {
    const { tests } = await read<{ tests: { inputPath: string; healthStatus: ArgoHealth }[] }>(
      `${kind}/health_test.yaml`,
    );
    for (const { inputPath, healthStatus } of tests) {
      const object = await read<Observed>(`${kind}/${inputPath}`);
      cases.push({ script: `${kind}/health.lua`, object, expected: healthStatus });
    }
  }
  const actions = `${policyKind}/actions`;
  const { discoveryTests, actionTests } = await read<{
    discoveryTests: { inputPath: string; result: { name: string; disabled: boolean }[] }[];
    actionTests: { action: string; inputPath: string; expectedOutputPath: string }[];
  }>(`${actions}/action_test.yaml`);
  for (const { inputPath, result } of discoveryTests) {
    const object = await read<Observed>(`${actions}/${inputPath}`);
    const expected = Object.fromEntries(result.map(({ name, disabled }) => [name, { disabled }]));
    cases.push({ script: `${actions}/discovery.lua`, object, expected });
  }
  for (const { action, inputPath, expectedOutputPath } of actionTests) {
    const object = await read<Observed>(`${actions}/${inputPath}`);
    const expected = await read(`${actions}/${expectedOutputPath}`);
    cases.push({ script: `${actions}/${action}/action.lua`, object, expected });
  }
  return cases;
}

function examples(): Observed[] {
  const policies = Object.values(policyExamples).flatMap(({ input }) => (input ? [produced(input)] : []));
  const reasons = Object.keys(connectionExamples) as ConnectionReason[];
  const connections = [connection, clusterConnection].flatMap((make) =>
    reasons.flatMap((reason) => produceHealth(reason, make).object ?? []),
  );
  return [...policies, ...connections];
}

/** Seeds of `npm run simulate`. */
const simulatedSeeds = 30;

/** The states of objects in every story and in drawn seeds: one for each combination of what a health check can read. */
async function simulated(): Promise<Observed[]> {
  const resources = await readResources();
  const states = new Map<string, Observed>();
  const observe = ({ api }: World) =>
    void api.store.onChange(({ type, object }) => {
      if (type === 'DELETED' || !argoKinds.some((kind) => kind === object.kind)) return;
      const state = object as unknown as Observed;
      states.set(formOf(state), state);
    });
  const stories = storyNames.map((_, seed) => ({ seed, mode: 'directed' as const }));
  const drawn = Array.from({ length: simulatedSeeds }, (_, index) => {
    const seed = index + 1;
    return { seed, mode: seed % 2 === 0 ? ('safety' as const) : ('liveness' as const) };
  });
  for (const each of [...stories, ...drawn]) await runSeed({ ...each, resources, observe });
  return [...states.values()];
}

function formOf({ kind, metadata, spec, status }: Observed): string {
  const conditions = (status?.conditions ?? []).map(({ type, status: is, reason, observedGeneration }) => {
    return [type, is, reason, observedGeneration === metadata.generation];
  });
  const isSuspended = 'suspend' in spec && spec.suspend;
  const isObserved = status?.observedGeneration === metadata.generation;
  return JSON.stringify([kind, metadata.deletionTimestamp !== undefined, isSuspended, isObserved, conditions]);
}

/** A literal of Lua. */
function luaOf(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(luaOf).join(',')}}`;
  if (typeof value !== 'object' || value === null) return value === null ? 'nil' : JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `[${JSON.stringify(key)}]=${luaOf(member)}`).join(',')}}`;
}

async function run(cases: readonly Case[]): Promise<unknown[]> {
  const file = join(folder, 'cases.lua');
  const list = cases.map(({ script, object }) => luaOf({ script: join(scripts, script), object }));
  await writeFile(file, `return {\n${list.join(',\n')}}\n`);
  const { exitCode, stdout, stderr } = await runCommand(
    glua,
    [join(root, 'test', 'tools', 'conformance', 'glua', 'run.lua'), file],
    {
      environment: process.env,
      deadlineMs: 60_000,
    },
  );
  assert.equal(exitCode, 0, stdout + stderr);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

/** As the normalizer of Argo CD's tests: the time of a request is that of the run. */
function normalized(result: unknown): unknown {
  const text = JSON.stringify(result);
  return JSON.parse(
    text.replace(/("rolealerts\.dev\/requestedAt":)"\d{4}(?:-\d\d){2}T\d\d(?::\d\d){2}Z"/, `$1"${zeroTime}"`),
  );
}

await buildGoTool('glua', 'github.com/yuin/gopher-lua/cmd/glua', glua);
const own = await ownCases();
const [reasons, states] = [examples(), await simulated()].map((objects) => objects.map(healthCase)) as [Case[], Case[]];
const cases = [...own, ...reasons, ...states];
const results = await run(cases);
assert.equal(results.length, cases.length);
for (const [index, { script, object, expected }] of cases.entries()) {
  assert.deepEqual(normalized(results[index]), expected, `${script}: ${JSON.stringify(object.status?.conditions)}`);
}
assert.ok(JSON.stringify(results).includes(requestedAtAnnotation));
const counts = Map.groupBy([...reasons, ...states], ({ expected }) => (expected as ArgoHealth).status);
console.log(`${own.length} tests, ${reasons.length} examples, ${states.length} states of the simulation: as expected`);
console.log([...counts].map(([status, of]) => `${status} ${of.length}`).join(', '));
