// `npm run check:gitops`: runs the Lua of deploy/argocd in glua, the interpreter that Argo CD has: its own tests, and health.lua on an example
// of every reason, each of which must give the health that follows from kstatus. It builds glua from Go modules (glua/go.mod), so it is not part
// of `npm test`.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { parse } from 'yaml';

import { argoFolder, argoKinds, produced, zeroTime } from '../../../.config/argocd.ts';
import { runCommand } from '../../../src/local/run-command.ts';
import { type ConnectionReason } from '../../../src/operator/reasons/reasons.ts';
import { policyKind, requestedAtAnnotation } from '../../../src/policy/resources.ts';
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
const reasons = examples().map(healthCase);
const cases = [...own, ...reasons];
const results = await run(cases);
assert.equal(results.length, cases.length);
for (const [index, { script, object, expected }] of cases.entries()) {
  assert.deepEqual(normalized(results[index]), expected, `${script}: ${JSON.stringify(object.status?.conditions)}`);
}
assert.ok(JSON.stringify(results).includes(requestedAtAnnotation));
const counts = Map.groupBy(reasons, ({ expected }) => (expected as ArgoHealth).status);
console.log(`${own.length} tests, ${reasons.length} examples: as expected`);
console.log([...counts].map(([status, of]) => `${status} ${of.length}`).join(', '));
