// `rolealerts trace`: the way from a policy to its alerts and what blocks it, the conditions of a connection, or what a reason means.
import { LocalError, UsageError } from '../lib/command-errors.ts';
import { nearestOf } from '../lib/compare-text.ts';
import { lineColumns } from '../lib/output.ts';
import { createCustomResources } from '../operator/kube/custom-resources.ts';
import { explainReason } from '../operator/reasons/reason-notes.ts';
import { allReasons } from '../operator/reasons/reasons.ts';
import { clusterConnectionKind, policyKind } from '../policy/resources.ts';
import { conditionsText, findReason, reasonText } from './checks/explain.ts';
import { traceJson, traceText } from './checks/trace-text.ts';
import { traceOf } from './checks/trace.ts';
import type { ClusterPlace } from './cluster/cluster-place.ts';
import { readTrace } from './cluster/read-trace.ts';
import { selectPolicies } from './cluster/select-policies.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { clusterResourceNamespaceOption, outputOption, viewerOptions } from './options/shared-options.ts';
import { objectName, objectNameForms, readObjectName } from './report/object-name.ts';
import { inFormat } from './report/text.ts';
import { withViewer } from './viewer.ts';

const { allNamespaces: _allNamespaces, ...oneNamespace } = viewerOptions;

/** What the command prints, as JSON and as text. */
interface Printed {
  readonly json: object;
  readonly text: string;
}

const apiVersion = 'cli.rolealerts.dev/v1';

export const traceCommand = defineCommand({
  name: 'trace',
  description: descriptions.trace,
  more: `Reads the policy, its connection, the metadata of the credential and the labels of the namespace with your kubeconfig. What you may not read is shown as unknown.
A reason begins with a capital letter and needs no cluster.`,
  examples: [
    'rolealerts trace -n payments owners',
    'rolealerts trace -n payments owners -o json | jq -r .blocker.command',
    'rolealerts trace -n payments connection/prod',
    'rolealerts trace clusterconnection/prod',
    'rolealerts trace BudgetTooSmall',
  ],
  options: {
    ...oneNamespace,
    clusterResourceNamespace: clusterResourceNamespaceOption,
    output: outputOption(['text', 'json']),
  },
  exits: { success: 'traced, also when something blocks the policy' },
  operands: [{ name: '[TYPE/]NAME|REASON', description: `An object: ${objectNameForms}; or a reason.` }],
  async run({ output, clusterResourceNamespace, ...values }, host, [name = '']) {
    const print = ({ json, text }: Printed) =>
      host.out.write(
        inFormat(
          output,
          () => json,
          () => text,
        ),
      );
    if (/^[A-Z][A-Za-z]*$/.test(name)) print(explained(name));
    else {
      await withViewer({ ...values, allNamespaces: false }, host, async (place) =>
        print(
          readObjectName(name)?.kind === policyKind
            ? await policyTrace(place, name, clusterResourceNamespace, lineColumns(host.out))
            : await connectionConditions(place, name),
        ),
      );
    }
    return 0;
  },
});

async function policyTrace(
  place: ClusterPlace,
  name: string,
  clusterNamespace: string,
  columns: number,
): Promise<Printed> {
  const [policy] = await selectPolicies(place, { names: [name], all: false, selector: undefined });
  if (!policy) throw new LocalError(`There is no policy ${name}.`);
  const trace = traceOf(await readTrace(place, policy, clusterNamespace));
  return { json: traceJson(trace), text: traceText(trace, columns) };
}

async function connectionConditions(
  { transport, namespace = 'default', signal }: ClusterPlace,
  text: string,
): Promise<Printed> {
  const named = readObjectName(text);
  if (!named) throw new UsageError(`${text} has an unknown type. Use ${objectNameForms}.`);
  const { kind, name } = named;
  const where = kind === clusterConnectionKind ? undefined : namespace;
  const connection = await createCustomResources(transport).readConnection(where, name, signal);
  const words = objectName({ kind, metadata: { namespace: where, name } });
  if (!connection)
    throw new LocalError(`There is no ${words}: check ${where === undefined ? '' : '--namespace and '}--context.`);
  const conditions = connection.status?.conditions ?? [];
  return {
    json: { apiVersion, kind: 'ConnectionTrace', name: words, conditions },
    text: conditionsText(words, conditions),
  };
}

function explained(name: string): Printed {
  const reason = findReason(name);
  if (reason)
    return {
      json: { apiVersion, kind: 'ReasonExplanation', reason, ...explainReason(reason) },
      text: reasonText(reason),
    };
  const close = nearestOf(name, allReasons);
  const advice = close === undefined ? `The reasons are ${allReasons.join(', ')}.` : `Did you mean ${close}?`;
  throw new UsageError(`No condition has the reason ${name}. ${advice}`);
}
