// The one thing that blocks a policy, with the command that mends it or explains it.
import { conditionOf } from '../../operator/reasons/conditions.ts';
import { factsOfConnection, factsOfPolicy, type MessageFacts } from '../../operator/reasons/message-facts.ts';
import { conditionMessage, type Reason } from '../../operator/reasons/reasons.ts';
import type { Condition } from '../../policy/generated/role-alert-policy.ts';
import { grantOf } from '../../policy/grant.ts';
import type { TraceInput } from '../report/trace-input.ts';
import { findReason } from './explain.ts';
import { remedyFor } from './remedies.ts';
import { credentialFailure } from './trace-credential.ts';

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
