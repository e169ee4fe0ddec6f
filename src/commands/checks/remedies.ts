// The command that mends what a reason reports. The sentence of the reason names some of them; this file has the others.
import type { Reason } from '../../operator/reasons/reasons.ts';
import { type AnyConnection, credentialOf, serviceAccountOf } from '../../policy/resources.ts';
import { shortNames } from '../report/object-name.ts';
import type { TraceInput } from '../report/trace-input.ts';

/** Never empty: without a remedy, the command explains the reason. */
export function remedyFor(reason: Reason | undefined, message: string, input: TraceInput): string {
  const named = /`((?:kubectl|rolealerts) [^`]+)`/.exec(message)?.[1];
  if (named !== undefined) return named;
  const remedy = reason && remedies[reason]?.(input);
  return remedy ?? `rolealerts explain ${reason ?? policyArguments(input)}`;
}

/** Undefined when the objects do not show enough for a command. */
const remedies: Partial<Record<Reason, (input: TraceInput) => string | undefined>> = {
  Suspended: (input) => `rolealerts resume ${policyArguments(input)}`,
  Flapping: (input) => `rolealerts reconcile ${policyArguments(input)} --wait`,
  Observed: ({ policy }) => (policy.spec.mode === 'Observe' ? patchPolicy(policy, { mode: 'Enforce' }) : undefined),
  ModeNotGranted: ({ policy }) => patchPolicy(policy, { mode: 'Observe' }),
  GuardDenied: ({ policy }) => patchPolicy(policy, { unlisted: { state: 'Ignore' } }),
  ConnectionNotFound: ({ policy }) =>
    `kubectl get rolealertconnections,clusterrolealertconnections -n ${policy.metadata.namespace} --show-labels`,
  DeactivationDenied: (input) =>
    withConnection(input, (connection) =>
      connection.spec.deactivation === 'Deny' ? patchConnection(connection, { deactivation: 'Allow' }) : undefined,
    ),
  BudgetTooSmall: (input) => withConnection(input, enoughRequests),
  SecretNotFound: (input) => withConnection(input, (connection) => createSecret(connection, input.clusterNamespace)),
  ServiceAccountNotFound: (input) =>
    withConnection(input, (connection) => {
      const account = serviceAccountOf(connection, input.clusterNamespace);
      return account && `kubectl create serviceaccount ${account.name} -n ${account.namespace}`;
    }),
  Pending: () => 'kubectl get deployments,leases -n rolealerts-system',
};

function withConnection(
  { connection }: TraceInput,
  command: (connection: AnyConnection) => string | undefined,
): string | undefined {
  return 'value' in connection ? command(connection.value) : undefined;
}

function policyArguments({ policy: { metadata } }: TraceInput): string {
  return `${metadata.name} -n ${metadata.namespace}`;
}

function patchPolicy({ kind, metadata }: TraceInput['policy'], spec: object): string {
  return patchCommand(`${shortNames[kind]} ${metadata.name} -n ${metadata.namespace}`, spec);
}

function patchConnection({ kind, metadata }: AnyConnection, spec: object): string {
  const where = metadata.namespace === undefined ? '' : ` -n ${metadata.namespace}`;
  return patchCommand(`${shortNames[kind]} ${metadata.name}${where}`, spec);
}

function patchCommand(object: string, spec: object): string {
  return `kubectl patch ${object} --type merge -p '${JSON.stringify({ spec })}'`;
}

function enoughRequests(connection: AnyConnection): string | undefined {
  const needed = connection.status?.predictedRequestsPerHour;
  return needed === undefined ? undefined : patchConnection(connection, { limits: { requestsPerHour: needed } });
}

/** The label is the consent to its use. */
function createSecret(connection: AnyConnection, clusterNamespace: string): string | undefined {
  const secret = credentialOf(connection, clusterNamespace);
  if (!secret) return undefined;
  const where = `${secret.name} -n ${secret.namespace}`;
  return `kubectl create secret generic ${where} --from-file=${secret.key}=FILE && kubectl label secret ${where} rolealerts.dev/credential=true`;
}
