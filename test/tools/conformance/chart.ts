// `npm run check:chart`: checks the chart with helm and a local control plane: its lint, what it renders of many values, the values that it
// refuses, and what an installation takes over and grants. It builds helm from Go modules (helm/go.mod), which takes
// minutes once, so it is not part of `npm test`.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { parseAllDocuments } from 'yaml';

import { packageChart } from '../../../.config/release/chart.ts';
import { buildCommand, defineCommand } from '../../../src/commands/command.ts';
import { startControlPlane } from '../../../src/local/control-plane.ts';
import { runCommand } from '../../../src/local/run-command.ts';
import { controllerOptions } from '../../../src/operator/manager/controller-options.ts';
import { leaseOf } from '../../../src/operator/manager/leadership.ts';
import { acceptedValues, type ChartCase, refusedValues } from '../../support/checks/chart-cases.ts';
import { recordingHost } from '../../support/rigs/recording-host.ts';
import { foundBinaries } from '../../support/servers/found-binaries.ts';
import { installOperator, testControlPlane, type TestControlPlane } from '../../support/servers/test-control-plane.ts';
import { buildHelm } from './helm.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly annotations?: Labels;
  };
  readonly spec?: unknown;
}

type Labels = Readonly<Record<string, string>>;

interface DeploymentSpec {
  readonly selector: { readonly matchLabels: Labels };
  readonly template: {
    readonly metadata: { readonly labels: Labels };
    readonly spec: { readonly containers: readonly [{ readonly args: readonly string[] }] };
  };
}

const root = fileURLToPath(new URL('../../..', import.meta.url));
const chart = join(root, 'deploy', 'helm', 'rolealerts');
const system = 'rolealerts-system';
const inSystem = ['rolealerts', '--namespace', system];

/** Helm adds them itself, or by custom. */
const helmKeys = new Set([
  'app.kubernetes.io/instance',
  'app.kubernetes.io/managed-by',
  'app.kubernetes.io/version',
  'helm.sh/chart',
  'helm.sh/resource-policy',
]);

const keyOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
const isCrd = ({ kind }: Manifest) => kind === 'CustomResourceDefinition';
/** For kubectl. */
const jsonOf = (objects: readonly object[]) => objects.map((each) => JSON.stringify(each)).join('\n---\n');
const byKey = (manifests: readonly Manifest[]) => Object.fromEntries(manifests.map((each) => [keyOf(each), each]));
const specOf = (manifest: Manifest) => manifest.spec as DeploymentSpec;

function manifestsOf(text: string): readonly Manifest[] {
  return parseAllDocuments(text).flatMap((document) => (document.toJS() as Manifest | null) ?? []);
}

function withoutHelmKeys(manifests: readonly Manifest[]): readonly Manifest[] {
  const text = JSON.stringify(manifests, (key, value: unknown) => (helmKeys.has(key) ? undefined : value));
  return JSON.parse(text) as readonly Manifest[];
}

const helmProgram = await buildHelm();
const scratch = await mkdtemp(join(tmpdir(), 'rolealerts-chart-'));

/** `kubeconfigPath`: of the control plane, for a command that needs one. */
function tryHelm(args: readonly string[], kubeconfigPath = '/dev/null') {
  const homes = { HELM_CACHE_HOME: scratch, HELM_CONFIG_HOME: scratch, HELM_DATA_HOME: scratch };
  const environment = { ...process.env, ...homes, KUBECONFIG: kubeconfigPath };
  return runCommand(helmProgram, args, { environment, deadlineMs: 300_000 });
}

async function helm(args: readonly string[], kubeconfigPath?: string): Promise<string> {
  const { exitCode, stdout, stderr } = await tryHelm(args, kubeconfigPath);
  assert.equal(exitCode, 0, `helm ${args.join(' ')}: ${stderr}`);
  return stdout;
}

async function tryTemplate(values: object, release = inSystem) {
  const file = join(scratch, 'values.json');
  await writeFile(file, JSON.stringify(values));
  // The oldest version that deploy/README.md names.
  return tryHelm(['template', ...release, chart, '--kube-version=1.32.0', '--values', file]);
}

async function render(values: object): Promise<readonly Manifest[]> {
  const { exitCode, stdout, stderr } = await tryTemplate(values);
  assert.equal(exitCode, 0, stderr);
  return manifestsOf(stdout);
}

const isSubset = (labels: Labels, of: Labels) => Object.entries(labels).every(([key, value]) => of[key] === value);

/** Every operator has its own Pods: an eviction fails for a Pod with two budgets, and two Services would count it twice. */
function checkSelectors(manifests: readonly Manifest[]): void {
  const templates = manifests.filter(({ kind }) => kind === 'Deployment').map((each) => specOf(each).template);
  const selectors = manifests.flatMap(({ kind, spec }): readonly Labels[] => {
    if (kind === 'Service') return [(spec as { selector: Labels }).selector];
    const isOfLabels = kind === 'Deployment' || kind === 'PodDisruptionBudget';
    return isOfLabels ? [(spec as Pick<DeploymentSpec, 'selector'>).selector.matchLabels] : [];
  });
  for (const selector of selectors) {
    assert.equal(templates.filter(({ metadata }) => isSubset(selector, metadata.labels)).length, 1);
  }
}

/** The program accepts the arguments of every operator, which has a Lease of its own. */
async function checkArguments(manifests: readonly Manifest[]): Promise<void> {
  const leases: string[] = [];
  const command = defineCommand({
    name: 'controller',
    description: 'Takes the arguments of an operator.',
    examples: ['rolealerts controller'],
    options: controllerOptions,
    run: (values) => Promise.resolve(leases.push(leaseOf({ ...values, leaderElectionNamespace: system }).name)),
  });
  const operators = manifests.filter(({ kind }) => kind === 'Deployment');
  for (const operator of operators) {
    const [name, ...args] = specOf(operator).template.spec.containers[0].args;
    assert.equal(name, 'controller');
    const parser = buildCommand(command, {
      host: recordingHost().host,
      done: () => undefined,
    });
    await parser.exitOverride().parseAsync(args, { from: 'user' });
  }
  assert.equal(new Set(leases).size, operators.length);
}

/** What a case renders is what it says, and the API server takes it and every Pod of it without a warning. */
async function checkAccepted(controlPlane: TestControlPlane, { values, added = [], removed = [] }: ChartCase) {
  const usual = (await render({})).map(keyOf);
  const manifests = await render(values);
  const expected = [...usual.filter((key) => !removed.includes(key)), ...added];
  assert.deepEqual(manifests.map(keyOf).sort(), expected.sort());
  checkSelectors(manifests);
  await checkArguments(manifests);
  const pods = manifests
    .filter(({ kind }) => kind === 'Deployment')
    .map((deployment, index) => {
      const { metadata, spec } = specOf(deployment).template;
      return {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...metadata, name: `tried-${index}`, namespace: system },
        spec,
      };
    });
  for (const [verb, objects] of [['apply', manifests] as const, ['create', pods] as const]) {
    const options = verb === 'apply' ? ['--server-side', '--dry-run=server'] : ['--dry-run=server'];
    const input = jsonOf(objects);
    const args = [verb, ...options, '--filename', '-'];
    const { exitCode, stderr } = await controlPlane.tryKubectl(args, { input });
    assert.deepEqual({ exitCode, stderr }, { exitCode: 0, stderr: '' });
  }
}

async function checkDefault(controlPlane: TestControlPlane): Promise<void> {
  const folders = ['deploy/base', 'crds'].map((folder) => controlPlane.kubectl(['kustomize', join(root, folder)]));
  const expected = (await Promise.all(folders)).flatMap(manifestsOf).filter(({ kind }) => kind !== 'Namespace');
  const rendered = await render({});
  assert.deepEqual(byKey(withoutHelmKeys(rendered)), byKey(expected));
  for (const { metadata } of rendered.filter(isCrd)) {
    assert.equal(metadata.annotations?.['helm.sh/resource-policy'], 'keep');
  }
}

/** With the labels apart, those of deploy/monitoring; a Lease of each operator. */
async function checkMonitoring(controlPlane: TestControlPlane): Promise<void> {
  const expected = manifestsOf(await controlPlane.kubectl(['kustomize', join(root, 'deploy/monitoring')]));
  const switches = Object.fromEntries(
    ['serviceMonitor', 'prometheusRule', 'grafanaDashboard'].map((name) => [name, { enabled: true }]),
  );
  const of = (manifests: readonly Manifest[]) =>
    byKey(
      withoutHelmKeys(manifests.filter(({ kind }) => ['ServiceMonitor', 'PrometheusRule', 'ConfigMap'].includes(kind))),
    );
  assert.deepEqual(of(await render(switches)), of(expected));
  const runbookURL = 'https://wiki.example.net/runbook';
  const prometheusRule = { enabled: true, runbookURL };
  const text = JSON.stringify(await render({ ...switches, prometheusRule, shards: ['a'] }));
  assert.match(
    text,
    /absent\([^)]*name=.{1,2}rolealerts-shard-a.{1,2}\} == 1\) or absent\([^)]*name=.{1,2}rolealerts-rest.{1,2}\} == 1\)/,
  );
  const rules = await readFile(join(root, 'deploy/monitoring/rules.yaml'), 'utf8');
  const sections = [...rules.matchAll(/runbook_url: deploy\/runbook\.md(#\S+)/g)];
  assert.deepEqual(
    [...text.matchAll(/"runbook_url":"([^"]+)"/g)].map(([, url]) => url),
    sections.map(([, section]) => `${runbookURL}${section}`),
  );
}

/** What a release has: the same objects as the folder renders. */
async function checkPackage(): Promise<void> {
  const file = join(scratch, 'rolealerts.tgz');
  await writeFile(file, await packageChart(chart, (values) => values));
  const template = (from: string) => helm(['template', ...inSystem, from, '--kube-version=1.32.0']);
  assert.equal(await template(file), await template(chart));
}

async function checkRefused(values: object, at: string): Promise<void> {
  const { exitCode, stderr } = await tryTemplate(values);
  assert.equal(exitCode, 1);
  assert.match(stderr, /don't meet the specifications of the schema/);
  assert.ok(stderr.includes(`- at '${at}':`), stderr);
}

async function checkLongName(): Promise<void> {
  const { exitCode, stderr } = await tryTemplate({}, ['a-release-with-a-long-name']);
  assert.equal(exitCode, 1);
  assert.match(stderr, /a-release-with-a-long-name-rolealerts is longer than 30 characters: set fullnameOverride/);
}

/** What the namespaces and the Prometheus Operator bring to a cluster. */
async function prepare(controlPlane: TestControlPlane): Promise<void> {
  await controlPlane.kubectl(['apply', '--filename', join(root, 'deploy/base/namespace.yaml')]);
  for (const team of ['team-a', 'team-b']) await controlPlane.kubectl(['create', 'namespace', team]);
  for (const [kind, plural] of [
    ['ServiceMonitor', 'servicemonitors'],
    ['PrometheusRule', 'prometheusrules'],
  ] as const) {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const input = JSON.stringify({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.monitoring.coreos.com` },
      spec: {
        group: 'monitoring.coreos.com',
        names: { kind, plural, singular: kind.toLowerCase() },
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    await controlPlane.kubectl(['apply', '--filename', '-'], { input });
  }
  await controlPlane.kubectl(['wait', '--for=condition=Established', 'crd', '--all']);
}

/** What a user does with releases, one after the other; pods/chart.nightly.ts upgrades, uninstalls and installs again. */
async function checkLifecycle(controlPlane: TestControlPlane): Promise<void> {
  const { kubeconfigPath } = controlPlane;
  const run = (args: readonly string[]) => helm(args, kubeconfigPath);
  const install = (...more: readonly string[]) =>
    run(['upgrade', '--install', ...inSystem, '--create-namespace', '--reset-values', chart, ...more]);
  const objects = await render({});

  await step('an installation by kustomize becomes a release', async () => {
    await installOperator(controlPlane);
    await controlPlane.kubectl(['delete', 'deployment', 'rolealerts', '--namespace', system]);
    await install('--take-ownership');
    await controlPlane.kubectl(['get', '--filename', '-'], { input: jsonOf(objects) });
    await run(['uninstall', ...inSystem]);
  });
  await step(
    'a release with another name does not take over the custom resource definitions that an uninstall keeps',
    async () => {
      const { exitCode, stderr } = await tryHelm(['install', 'other', '--namespace', system, chart], kubeconfigPath);
      assert.equal(exitCode, 1);
      assert.match(stderr, /cannot be imported into the current release/);
      await run(['install', 'other', '--namespace', system, chart, '--set', 'crds.enabled=false']);
      await run(['uninstall', 'other', '--namespace', system]);
    },
  );
  await step('an operator of one namespace has its permissions there, and those of cluster connections', async () => {
    await install('--set', 'watchNamespaces={team-a}');
    await checkPermissions(controlPlane, true);
  });
  await step('without cluster connections it has them there only', async () => {
    await install('--set', 'watchNamespaces={team-a}', '--set', 'clusterConnections=false');
    await checkPermissions(controlPlane, false);
  });
}

/** Of an operator of the namespace `team-a`. */
async function checkPermissions(controlPlane: TestControlPlane, cluster: boolean): Promise<void> {
  const can = async (...what: readonly string[]) => {
    const as = `system:serviceaccount:${system}:rolealerts`;
    const { stdout } = await controlPlane.tryKubectl(['auth', 'can-i', ...what], { as });
    return stdout.trim() === 'yes';
  };
  const group = 'rolealerts.dev';
  const inNamespace = [
    ['list', `rolealertpolicies.${group}`],
    ['update', `rolealertpolicies.${group}`, '--subresource=status'],
    ['patch', `rolealertconnections.${group}`],
    ['get', 'secrets'],
    ['get', 'configmaps'],
  ] as const;
  const found = {
    'team-a': await Promise.all(inNamespace.map((right) => can(...right, '--namespace', 'team-a'))),
    'team-b': await Promise.all(inNamespace.map((right) => can(...right, '--namespace', 'team-b'))),
    all: await Promise.all(inNamespace.map((right) => can(...right, '--all-namespaces'))),
    cluster: await Promise.all([
      can('watch', `clusterrolealertconnections.${group}`),
      can('patch', `clusterrolealertconnections.${group}`),
      can('update', `clusterrolealertconnections.${group}`, '--subresource=status'),
      can('get', 'secrets', '--namespace', system),
    ]),
    always: await Promise.all([
      can('watch', 'namespaces'),
      can('create', 'events.events.k8s.io', '--namespace', 'default'),
      can('update', 'leases.coordination.k8s.io/rolealerts', '--namespace', system),
    ]),
    never: await Promise.all([can('list', 'secrets', '--namespace', 'team-a'), can('get', 'secrets', '-n', 'default')]),
  };
  assert.deepEqual(found, {
    'team-a': inNamespace.map(() => true),
    'team-b': inNamespace.map(() => false),
    all: inNamespace.map(() => false),
    cluster: [cluster, cluster, cluster, cluster],
    always: [true, true, true],
    never: [false, false],
  });
}

async function step(what: string, act: () => Promise<void>): Promise<void> {
  try {
    await act();
    console.log(`${what}: ok`);
  } catch (error) {
    console.log(`${what}: FAILED\n${String(error)}`);
    process.exitCode = 1;
  }
}

const { machine, binaries } = await foundBinaries();
const started = await startControlPlane({ machine, binaries });
try {
  const controlPlane = testControlPlane({ ...started, kubectlPath: binaries.kubectl });
  await prepare(controlPlane);
  await step('helm lint --strict', async () => void (await helm(['lint', '--strict', chart])));
  await step('the default values render deploy/base and crds', () => checkDefault(controlPlane));
  await step('the package renders what the folder does', checkPackage);
  await step('monitoring renders deploy/monitoring', () => checkMonitoring(controlPlane));
  for (const [what, each] of Object.entries(acceptedValues)) {
    await step(`accepted: ${what}`, () => checkAccepted(controlPlane, each));
  }
  for (const [what, { values, at }] of Object.entries(refusedValues)) {
    await step(`refused: ${what}`, () => checkRefused(values, at));
  }
  await step('refused: a release with a long name', checkLongName);
  await checkLifecycle(controlPlane);
} finally {
  await started.stop();
  await rm(scratch, { recursive: true });
}
