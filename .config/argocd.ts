// The files of deploy/argocd that follow from its scripts and from the operator: the health of the connections, the test data, and the
// fragment of the ConfigMap argocd-cm.
import { readFile } from 'node:fs/promises';

import { stringify } from 'yaml';

import type { ConnectionReason, PolicyReason } from '../src/operator/reasons/reasons.ts';
import { nextPolicyStatus, type StatusInput } from '../src/operator/report/policy-status.ts';
import {
  clusterConnectionKind,
  connectionKind,
  policyKind,
  requestedAtAnnotation,
  type RoleAlertPolicy,
} from '../src/policy/resources.ts';
import { at, clusterConnection, connection, policy } from '../test/support/builders/objects.ts';
import { type ArgoHealth, argoHealthOf, type Observed } from '../test/support/checks/argo-health.ts';
import { produceHealth } from '../test/support/reasons/connection-examples.ts';
import { policyExamples } from '../test/support/reasons/policy-examples.ts';
import { afterSync, scope, statusInput } from '../test/support/reasons/samples.ts';

export const argoFolder = 'deploy/argocd/resource_customizations/rolealerts.dev';
const configMapFile = 'deploy/argocd/argocd-cm.yaml';
export const argoKinds = [policyKind, connectionKind, clusterConnectionKind] as const;
/** The normalizer of Argo CD's tests replaces the time of an action by this one. */
export const zeroTime = '0001-01-01T00:00:00Z';
const actions = ['reconcile', 'suspend', 'resume'] as const;

/** Name of the file → the object, whose health the name begins with. */
type Cases = Readonly<Record<string, Observed>>;

/** The generated files by path. `root` is the checkout. */
export async function argoFiles(root: URL): Promise<ReadonlyMap<string, string>> {
  const read = (path: string) => readFile(new URL(`${argoFolder}/${path}`, root), 'utf8');
  const health = await read(`${policyKind}/health.lua`);
  const cases = {
    [policyKind]: policyCases(),
    [connectionKind]: connectionCases(connection),
    [clusterConnectionKind]: connectionCases(clusterConnection),
  };
  const files = new Map([
    [configMapFile, await configMap(health, read)],
    [`${argoFolder}/${connectionKind}/health.lua`, health],
    [`${argoFolder}/${clusterConnectionKind}/health.lua`, health],
  ]);
  for (const kind of argoKinds) {
    files.set(`${argoFolder}/${kind}/health_test.yaml`, yaml({ tests: testsOf(cases[kind]) }));
    for (const [name, object] of Object.entries(cases[kind])) {
      files.set(`${argoFolder}/${kind}/testdata/${name}.yaml`, yaml(object));
    }
  }
  for (const [name, object] of Object.entries(actionData())) {
    files.set(`${argoFolder}/${policyKind}/actions/testdata/${name}.yaml`, yaml(object));
  }
  return files;
}

const yaml = (value: unknown) => stringify(value, { lineWidth: 0 });

async function configMap(health: string, read: (path: string) => Promise<string>): Promise<string> {
  const path = `${policyKind}/actions`;
  const definitions = actions.map(async (name) => ({ name, 'action.lua': await read(`${path}/${name}/action.lua`) }));
  const ofActions = {
    'discovery.lua': await read(`${path}/discovery.lua`),
    definitions: await Promise.all(definitions),
  };
  const data = Object.fromEntries(
    argoKinds.map((kind) => [`resource.customizations.health.rolealerts.dev_${kind}`, health]),
  );
  const labels = { 'app.kubernetes.io/name': 'argocd-cm', 'app.kubernetes.io/part-of': 'argocd' };
  return (
    '# Made from resource_customizations by `npm run generate`. Add it to the ConfigMap that exists:\n' +
    '# `kubectl apply --server-side --field-manager=rolealerts -f argocd-cm.yaml`\n' +
    yaml({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'argocd-cm', namespace: 'argocd', labels },
      data: { ...data, [`resource.customizations.actions.rolealerts.dev_${policyKind}`]: yaml(ofActions) },
    })
  );
}

function testsOf(cases: Cases): readonly { healthStatus: ArgoHealth; inputPath: string }[] {
  return Object.entries(cases).map(([name, object]) => {
    const healthStatus = argoHealthOf(object);
    if (!name.startsWith(healthStatus.status.toLowerCase())) throw new Error(`${name} is ${healthStatus.status}`);
    return { healthStatus, inputPath: `testdata/${name}.yaml` };
  });
}

function policyCases(): Cases {
  const example = (reason: PolicyReason) => produced(policyExamples[reason].input);
  const { status } = example('Succeeded');
  const changed = (metadata: Partial<RoleAlertPolicy['metadata']>) => policy({ spec: { scope }, metadata, status });
  const suspend = { scope, suspend: true };
  return {
    healthy: example('Succeeded'),
    degraded_stalled: example('ScopeForbidden'),
    degraded_notReady: example('AlertNotFound'),
    progressing_pending: policy({ spec: { scope } }),
    progressing_reconciling: example('WriteNotVerified'),
    progressing_newGeneration: changed({ generation: 2 }),
    progressing_terminating: changed({ deletionTimestamp: at(0), finalizers: ['foregroundDeletion'] }),
    suspended: produced(afterSync({ kind: 'suspended' }, { spec: suspend })),
    suspended_beforeFirstList: produced(statusInput({ kind: 'suspended' }, { spec: suspend })),
  };
}

/** The policy of an example with the status that the operator writes. */
export function produced(input: StatusInput | undefined): RoleAlertPolicy {
  if (!input) throw new Error('the operator never writes the reason');
  return { ...input.policy, status: nextPolicyStatus(input) };
}

function connectionCases(make: typeof connection | typeof clusterConnection): Cases {
  const example = (reason: ConnectionReason) => produceHealth(reason, make).object ?? make();
  return {
    healthy: example('Connected'),
    degraded: example('SecretNotFound'),
    progressing_pending: make(),
    progressing_terminating: example('Deleting'),
  };
}

/** What the actions are given and return. */
function actionData(): Cases {
  return {
    policy: policy({ spec: { scope } }),
    suspended: policy({ spec: { scope, suspend: true } }),
    reconciled: policy({ spec: { scope }, metadata: { annotations: { [requestedAtAnnotation]: zeroTime } } }),
  };
}
