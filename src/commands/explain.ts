// `rolealerts explain`: what a reason means and what to do, or the conditions of one policy or connection.
import { LocalError, UsageError } from '../lib/command-errors.ts';
import { nearestOf } from '../lib/nearest.ts';
import { createCustomResources } from '../operator/kube/custom-resources.ts';
import { allReasons } from '../operator/reasons/reasons.ts';
import { clusterConnectionKind, policyKind } from '../policy/resources.ts';
import { conditionsText, findReason, reasonText } from './checks/explain.ts';
import type { ClusterPlace } from './cluster/cluster-place.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { explainOptions } from './options/explain-options.ts';
import { objectName, objectNameForms, readObjectName } from './report/object-name.ts';
import { withViewer } from './viewer.ts';

export const explainCommand = defineCommand({
  name: 'explain',
  description: descriptions.explain,
  more: 'A reason begins with a capital letter and needs no cluster. A policy or a connection is read with your kubeconfig.',
  examples: [
    'rolealerts explain BudgetTooSmall',
    'rolealerts explain -n payments owners',
    'rolealerts explain -n payments connection/prod',
    'rolealerts explain clusterconnection/prod',
  ],
  options: explainOptions,
  operands: [{ name: 'REASON|[TYPE/]NAME', description: `A reason, or an object: ${objectNameForms}.` }],
  async run(values, host, [name = '']) {
    if (/^[A-Z][A-Za-z]*$/.test(name)) host.out.write(explained(name));
    else {
      await withViewer({ ...values, allNamespaces: false }, host, async (viewer) =>
        host.out.write(await conditionsOf(name, viewer)),
      );
    }
    return 0;
  },
});

async function conditionsOf(text: string, { transport, namespace = 'default', signal }: ClusterPlace): Promise<string> {
  const named = readObjectName(text);
  if (!named) throw new UsageError(`${text} has an unknown type. Use ${objectNameForms}.`);
  const { kind, name } = named;
  const resources = createCustomResources(transport);
  const where = kind === clusterConnectionKind ? undefined : namespace;
  const object =
    kind === policyKind
      ? await resources.readPolicy(namespace, name, signal)
      : await resources.readConnection(where, name, signal);
  const words = objectName({ kind, metadata: { namespace: where, name } });
  if (!object)
    throw new LocalError(`There is no ${words}: check ${where === undefined ? '' : '--namespace and '}--context.`);
  return conditionsText(words, object.status?.conditions ?? []);
}

function explained(name: string): string {
  const reason = findReason(name);
  if (reason) return reasonText(reason);
  const close = nearestOf(name, allReasons);
  const advice = close === undefined ? `The reasons are ${allReasons.join(', ')}.` : `Did you mean ${close}?`;
  throw new UsageError(`No condition has the reason ${name}. ${advice}`);
}
