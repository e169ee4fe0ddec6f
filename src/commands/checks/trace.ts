// The way from a policy to its alerts as a tree, and the one thing that blocks it, with the command that mends it or shows its cause.
import { counted } from '../../lib/counted.ts';
import { conditionOf, type ConditionType } from '../../operator/reasons/conditions.ts';
import { factsOfConnection, factsOfPolicy, type MessageFacts } from '../../operator/reasons/message-facts.ts';
import { conditionMessage, type Reason } from '../../operator/reasons/reasons.ts';
import { connectionKeyOf, partsOfConnectionKey } from '../../policy/connection-key.ts';
import { accountConsent, type Consent, consentText, hasConsent, secretConsent } from '../../policy/consent.ts';
import { windowState } from '../../policy/correction-windows.ts';
import type { AlertStatus, Condition, CorrectionRecord } from '../../policy/generated/role-alert-policy.ts';
import { grantOf } from '../../policy/grant.ts';
import { type AnyConnection, clusterConnectionKind, credentialOf, serviceAccountOf } from '../../policy/resources.ts';
import type { ConsentMetadata, Readable, TraceInput } from '../cluster/read-trace.ts';
import { objectName, shortNames } from '../report/object-name.ts';
import { findReason } from './explain.ts';

export interface PolicyTrace {
  readonly root: TraceStep;
  /** Undefined while nothing keeps the alerts from their desired states. */
  readonly blocker: Blocker | undefined;
}

export function traceOf(input: TraceInput): PolicyTrace {
  const { policy } = input;
  const { mode, interval } = policy.status?.effective ?? policy.spec;
  const settings = [mode, ...(interval === undefined ? [] : [`every ${interval}`])].join(', ');
  return {
    root: {
      kind: 'Policy',
      name: objectName(policy),
      state: stateOf(policy.status, 'Ready'),
      text: `${conditionText(policy.status, 'Ready')}; ${settings}`,
      children: [connectionStep(input), grantStep(input), scopeStep(input), writesStep(input)],
    },
    blocker: blockerOf(input),
  };
}

type Conditioned = Parameters<typeof conditionOf>[0];

function stateOf(status: Conditioned, type: ConditionType): TraceStep['state'] {
  const found = conditionOf(status, type)?.status ?? 'Unknown';
  return found === 'True' ? 'Ok' : found === 'False' ? 'Blocked' : 'Unknown';
}

function conditionText(status: Conditioned, type: ConditionType): string {
  const found = conditionOf(status, type);
  return found ? `${type} is ${found.status} (${found.reason})` : `${type} is not known`;
}

function connectionStep(input: TraceInput): TraceStep {
  const { policy, connection } = input;
  if ('value' in connection) {
    const { spec, status } = connection.value;
    const credential = credentialStep(connection.value, input);
    const capacity =
      conditionOf(status, 'Capacity')?.status === 'False' ? `; ${conditionText(status, 'Capacity')}` : '';
    const text = `${conditionText(status, 'Ready')}${capacity}; ${spec.endpoint.baseURL}`;
    const children = credential ? [credential] : [];
    return { kind: 'Connection', name: objectName(connection.value), state: stateOf(status, 'Ready'), text, children };
  }
  const { kind, namespace, name } = partsOfConnectionKey(connectionKeyOf(policy));
  const step = { kind: 'Connection', name: objectName({ kind, metadata: { namespace, name } }), children: [] } as const;
  if (connection.missing === 'Absent') return { ...step, state: 'Blocked', text: 'does not exist' };
  const text = `you may not read it; of the policy, ${conditionText(policy.status, 'ConnectionReady')}`;
  return { ...step, state: stateOf(policy.status, 'ConnectionReady'), text };
}

function grantStep({ policy, connection, namespace }: TraceInput): TraceStep {
  const step = { kind: 'Grant', name: 'grant', children: [] } as const;
  if (!('value' in connection)) return { ...step, state: 'Unknown', text: 'not known without the connection' };
  const isCluster = connection.value.kind === clusterConnectionKind;
  if (isCluster && !('value' in namespace)) {
    return {
      ...step,
      state: 'Unknown',
      text: `not known: the labels of namespace ${policy.metadata.namespace} decide it`,
    };
  }
  const grant = grantOf(connection.value, policy, 'value' in namespace ? namespace.value : undefined);
  if (grant.list !== 'Allow') {
    return { ...step, state: 'Blocked', text: 'no entry of spec.access allows the policy to list its scope' };
  }
  const text = `list Allow, mode ${grant.mode}, deactivation ${grant.deactivation}, unlisted ${grant.unlisted}`;
  return { ...step, state: 'Ok', text };
}

function scopeStep({ policy: { spec, status } }: TraceInput): TraceStep {
  const { declared, inSync, unmanagedCount } = status?.summary ?? {};
  const counts = declared === undefined ? 'not listed yet' : `${inSync} of ${declared} declared alerts in sync`;
  const others = unmanagedCount === undefined ? '' : `, ${counted(unmanagedCount, 'other')}`;
  return {
    kind: 'Scope',
    name: `scope ${status?.effective?.scope ?? spec.scope}`,
    state: declared === undefined ? 'Unknown' : stateOf(status, 'InSync'),
    text: `${counts}${others}`,
    children: (status?.alerts ?? []).map(alertStep),
  };
}

function alertStep({ name, want, live, state, result, severity, incidents, lastDrift }: AlertStatus): TraceStep {
  const drift =
    lastDrift && `last drift: ${lastDrift.direction} at ${lastDrift.at}, inferred actor ${lastDrift.actorClass}`;
  const parts = [
    `${result}: want ${want}, live ${live}`,
    `${state}, ${counted(incidents.total, 'incident')}`,
    severity,
    drift,
  ];
  return {
    kind: 'Alert',
    name,
    state: result === 'InSync' ? 'Ok' : result === 'Pending' ? 'Unknown' : 'Blocked',
    text: parts.filter((part) => part !== undefined).join('; '),
    children: [],
  };
}

function writesStep({ policy: { status } }: TraceInput): TraceStep {
  const records = (status?.history ?? []).map(writeRecord);
  const text = records.length === 0 ? 'none' : `${records.length}, newest first`;
  return { kind: 'Writes', name: 'last corrections', state: 'Ok', text, children: records };
}

function writeRecord({ at, alert, direction, reason, count }: CorrectionRecord): TraceStep {
  const times = count > 1 ? `, ${count} times` : '';
  return { kind: 'Record', name: at, state: 'Ok', text: `${alert} ${direction} (${reason}${times})`, children: [] };
}

export interface TraceStep {
  readonly kind: 'Policy' | 'Connection' | 'Credential' | 'Grant' | 'Scope' | 'Alert' | 'Writes' | 'Record';
  readonly name: string;
  /** Unknown: the API server does not show it to this person, or the operator has not decided it. */
  readonly state: 'Ok' | 'Blocked' | 'Unknown';
  readonly text: string;
  readonly children: readonly TraceStep[];
}

/** What the credential of a connection is, in words, and what the reason of its failure is. */
interface NamedCredential {
  readonly name: string;
  readonly absent: 'SecretNotFound' | 'ServiceAccountNotFound';
  readonly refused: 'SecretNotAllowed' | 'ServiceAccountNotAllowed';
  readonly consent: Consent;
}

type ReadCredential = Pick<TraceInput, 'credential' | 'clusterNamespace'>;

export function credentialStep(connection: AnyConnection, input: ReadCredential): TraceStep | undefined {
  const named = namedCredential(connection, input.clusterNamespace);
  return named && { kind: 'Credential', name: named.name, ...credentialState(named, input.credential), children: [] };
}

/** Undefined while nothing is wrong, or nothing is known. */
export function credentialFailure(connection: AnyConnection, input: ReadCredential) {
  const named = namedCredential(connection, input.clusterNamespace);
  const { credential } = input;
  if (!named || !credential) return undefined;
  if ('value' in credential) return hasConsent(credential.value, named.consent) ? undefined : named.refused;
  return credential.missing === 'Absent' ? named.absent : undefined;
}

function credentialState(
  { consent }: NamedCredential,
  credential: Readable<ConsentMetadata> | undefined,
): Pick<TraceStep, 'state' | 'text'> {
  if (!credential) return { state: 'Unknown', text: 'not read' };
  if ('value' in credential) {
    return hasConsent(credential.value, consent)
      ? { state: 'Ok', text: `exists, with ${consentText(consent)}` }
      : { state: 'Blocked', text: `lacks ${consentText(consent)}, so the operator may not use it` };
  }
  if (credential.missing === 'Absent') return { state: 'Blocked', text: 'does not exist' };
  return { state: 'Unknown', text: 'you may not read it; the condition ConnectionReady shows what the operator found' };
}

function namedCredential(connection: AnyConnection, clusterNamespace: string): NamedCredential | undefined {
  const secret = credentialOf(connection, clusterNamespace);
  if (secret) {
    return {
      name: `Secret ${secret.namespace}/${secret.name}, key ${secret.key}`,
      absent: 'SecretNotFound',
      refused: 'SecretNotAllowed',
      consent: secretConsent,
    };
  }
  const account = serviceAccountOf(connection, clusterNamespace);
  return (
    account && {
      name: `ServiceAccount ${account.namespace}/${account.name}`,
      absent: 'ServiceAccountNotFound',
      refused: 'ServiceAccountNotAllowed',
      consent: accountConsent(account),
    }
  );
}

export interface Blocker {
  readonly reason: string;
  /** The object, the cause and the next step. */
  readonly message: string;
  /** For a shell. */
  readonly command: string;
}

/** The verdict of the operator, or while it has none, the first broken link on the way. */
export function blockerOf(input: TraceInput): Blocker | undefined {
  const condition = decidingCondition(input);
  const isDecided = condition !== undefined && condition.reason !== 'Pending';
  const found = isDecided ? condition : (brokenLink(input) ?? condition);
  if (!found) return undefined;
  const { reason, message } = found;
  return { reason, message, command: remedyFor(findReason(reason), message, input) };
}

type Verdict = Pick<Condition, 'reason' | 'message'>;

/** Reasons of Ready that are neither a failure nor a wait. */
const settled: ReadonlySet<string> = new Set<Reason>(['Succeeded']);

/** The gravest first. The cause of a connection that is not ready is in a condition of its own. */
function decidingCondition({ policy: { status }, connection }: TraceInput): Verdict | undefined {
  const stalled = conditionOf(status, 'Stalled');
  const ready = conditionOf(status, 'Ready');
  const verdict = stalled ?? (ready && isOpen(ready) ? ready : undefined);
  if (verdict?.reason === 'ConnectionNotReady') return conditionOf(status, 'ConnectionReady') ?? verdict;
  const capacity = 'value' in connection ? conditionOf(connection.value.status, 'Capacity') : undefined;
  const others = [conditionOf(status, 'InSync'), conditionOf(status, 'Coverage'), capacity];
  return verdict ?? others.find((condition) => condition?.status === 'False');
}

function isOpen({ status, reason }: Condition): boolean {
  return status !== 'True' || !settled.has(reason);
}

/** What the objects themselves show. */
function brokenLink(input: TraceInput): Verdict | undefined {
  const { policy, connection, namespace, clusterNamespace } = input;
  const ofPolicy = factsOfPolicy(policy, { mode: policy.spec.mode, interval: '', scope: policy.spec.scope });
  if (!('value' in connection)) {
    return connection.missing === 'Absent' ? verdictOf('ConnectionNotFound', ofPolicy) : undefined;
  }
  const facts = { ...factsOfConnection(connection.value, clusterNamespace), ...ofPolicy };
  const failure = credentialFailure(connection.value, input);
  if (failure) return verdictOf(failure, facts);
  const isDenied = 'value' in namespace && grantOf(connection.value, policy, namespace.value).list === 'Deny';
  return isDenied ? verdictOf('AccessDenied', facts) : undefined;
}

function verdictOf(reason: Reason, facts: MessageFacts): Verdict {
  return { reason, message: conditionMessage(reason, facts) };
}

/** The command that mends what a reason reports, or shows more of its cause than the trace. Its sentence may name one. Never empty. */
export function remedyFor(reason: Reason | undefined, message: string, input: TraceInput): string {
  const named = /`((?:kubectl|rolealerts) [^`]+)`/.exec(message)?.[1];
  if (named !== undefined) return named;
  return (reason && remedies[reason]?.(input)) ?? `kubectl describe ${policyObject(input)}`;
}

type Remedy = (input: TraceInput) => string | undefined;

const doctor: Remedy = ({ policy }) => `rolealerts doctor -n ${policy.metadata.namespace}`;
const editPolicy = (input: TraceInput) => `kubectl edit ${policyObject(input)}`;
const editConnection = (input: TraceInput) =>
  withConnection(input, (connection) => `kubectl edit ${connectionObject(connection)}`);
const watchPolicy: Remedy = (input) => `kubectl get ${policyObject(input)} --watch`;
const describeConnection = (input: TraceInput) =>
  withConnection(input, (connection) => `kubectl describe ${connectionObject(connection)}`);
const showSection =
  (section: string): Remedy =>
  ({ policy }) =>
    `rolealerts status -n ${policy.metadata.namespace} --show ${section}`;

/** Undefined when the objects do not show enough for a command. */
const remedies: Partial<Record<Reason, Remedy>> = {
  ServiceUnreachable: doctor,
  ProtocolError: doctor,
  UnsafeNextLink: doctor,
  ConnectionNotReady: doctor,
  Unreachable: doctor,
  CircuitOpen: doctor,
  TLSFailed: doctor,
  CABundleNotFound: doctor,
  Progressing: watchPolicy,
  VerifyingWrite: watchPolicy,
  WaitingForWindow: watchPolicy,
  SecretInvalid: describeConnection,
  TokenEndpointFailed: describeConnection,
  TokenRequestFailed: describeConnection,
  AudienceNotAllowed: describeConnection,
  Unauthorized: describeConnection,
  InvalidEndpoint: describeConnection,
  HostNotAllowed: describeConnection,
  DeactivationLimited: describeConnection,
  ConnectionDeleting: describeConnection,
  Deleting: describeConnection,
  ListTooLarge: describeConnection,
  ScopeForbidden: describeConnection,
  CorrectionFailed: describeConnection,
  AccessDenied: ({ policy }) => `kubectl get namespace ${policy.metadata.namespace} --show-labels`,
  DismissalTooLong: editPolicy,
  DismissalIncomplete: editPolicy,
  NoWindowAhead: (input) => (input.policy.spec.correctionWindows?.length ? editPolicy : editConnection)(input),
  WindowInvalid: (input) => (hasInvalidWindow(input.policy) ? editPolicy : editConnection)(input),
  ScopeConflict: editPolicy,
  AlertNotFound: editPolicy,
  LedgerFull: showSection('dismissals'),
  Stale: showSection('budget'),
  Throttled: showSection('budget'),
  InternalError: () => 'kubectl logs -n rolealerts-system deployment/rolealerts',
  Suspended: (input) => `rolealerts resume ${policyArguments(input)}`,
  Flapping: (input) => `rolealerts reconcile ${policyArguments(input)} --wait`,
  Observed: (input) =>
    input.policy.spec.mode === 'Observe' ? patchPolicy(input, { mode: 'Enforce' }) : describeConnection(input),
  ModeNotGranted: (input) => patchPolicy(input, { mode: 'Observe' }),
  GuardDenied: (input) => patchPolicy(input, { unlisted: { state: 'Ignore' } }),
  ConnectionNotFound: ({ policy }) =>
    `kubectl get rolealertconnections,clusterrolealertconnections -n ${policy.metadata.namespace} --show-labels`,
  DeactivationDenied: (input) =>
    withConnection(input, (connection) =>
      connection.spec.deactivation === 'Deny'
        ? patchConnection(connection, { deactivation: 'Allow' })
        : describeConnection(input),
    ),
  BudgetTooSmall: (input) => withConnection(input, enoughRequests),
  SecretNotFound: (input) => withConnection(input, (connection) => secretCommand(connection, input)),
  ServiceAccountNotFound: (input) =>
    withConnection(input, (connection) => {
      const account = serviceAccountOf(connection, input.clusterNamespace);
      return account && `kubectl create serviceaccount ${account.name} -n ${account.namespace}`;
    }),
  Pending: () => 'kubectl get deployments,leases -n rolealerts-system',
};

function hasInvalidWindow({ spec }: TraceInput['policy']): boolean {
  return windowState([spec.correctionWindows ?? []], 0).kind === 'Invalid';
}

function withConnection(
  { connection }: TraceInput,
  command: (connection: AnyConnection) => string | undefined,
): string | undefined {
  return 'value' in connection ? command(connection.value) : undefined;
}

function policyArguments({ policy: { metadata } }: TraceInput): string {
  return `${metadata.name} -n ${metadata.namespace}`;
}

function policyObject(input: TraceInput): string {
  return `${shortNames[input.policy.kind]} ${policyArguments(input)}`;
}

function connectionObject({ kind, metadata }: AnyConnection): string {
  return `${shortNames[kind]} ${metadata.name}${metadata.namespace === undefined ? '' : ` -n ${metadata.namespace}`}`;
}

function patchPolicy(input: TraceInput, spec: object): string {
  return patchCommand(policyObject(input), spec);
}

function patchConnection(connection: AnyConnection, spec: object): string {
  return patchCommand(connectionObject(connection), spec);
}

function patchCommand(object: string, spec: object): string {
  return `kubectl patch ${object} --type merge -p '${JSON.stringify({ spec })}'`;
}

function enoughRequests(connection: AnyConnection): string | undefined {
  const needed = connection.status?.predictedRequestsPerHour;
  return needed === undefined ? undefined : patchConnection(connection, { limits: { requestsPerHour: needed } });
}

/** A new Secret, with the label that is the consent to its use; an existing one lacks the key. */
function secretCommand(connection: AnyConnection, { credential, clusterNamespace }: TraceInput): string | undefined {
  const secret = credentialOf(connection, clusterNamespace);
  if (!secret) return undefined;
  const where = `${secret.name} -n ${secret.namespace}`;
  if (credential && 'value' in credential) return `kubectl describe secret ${where}`;
  return `kubectl create secret generic ${where} --from-file=${secret.key}=FILE && kubectl label secret ${where} rolealerts.dev/credential=true`;
}
