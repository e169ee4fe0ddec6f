// One pass: one look at one (connection, scope), from the caches to the statuses, and when to look again. A failed list
// plans nothing; a pass that fails says so in every status it is responsible for, and never takes another pass with it.
import type { Clock } from '../lib/clock.ts';
import { isOperatorError, OperatorError } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import { jitter, type Random } from '../lib/random.ts';
import type { Correction } from '../plan/corrections.ts';
import { correctionEvent } from '../plan/events.ts';
import { failureOf, type LookFailure } from '../plan/failures.ts';
import { failureDelayMs, policyIntervalMs, slowDelayMs } from '../plan/schedule.ts';
import { effectiveSettings, type LookOutcome } from '../plan/status.ts';
import type { PolicyInput } from '../plan/types.ts';
import type { RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import { connectionKind, groupVersion, type RoleAlertConnection } from '../policy/resources.ts';
import type { Catalog, ScopeRef } from './catalog.ts';
import { type Gathered, gather, isResting } from './gather.ts';
import { type Look, look } from './look.ts';
import type { ClusterPort, EventPort, Observer, PassResult } from './ports.ts';
import type { Urgency } from './queue.ts';
import { recordPolicy } from './record.ts';
import type { Session } from './session.ts';

export interface PassTools {
  readonly catalog: Catalog;
  readonly cluster: ClusterPort;
  readonly events: EventPort;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly isReadOnly: boolean;
  readonly defaultIntervalMs: number;
  /** What `record.ts` is writing just now. */
  readonly writing: Map<string, RoleAlertPolicyStatus>;
  /** Throws unless this process may write to the service now. */
  readonly checkMayWrite: () => void;
  /** The connection's health as this pass found it. */
  readonly noteHealth: (session: Session, failure: LookFailure | undefined, intervalMs: number) => void;
}

interface PassEnd {
  readonly result: PassResult;
  /** Undefined when only an event can bring this scope back. */
  readonly delayMs: number | undefined;
}

const backoffJitter = 0.2;
const staleIntervals = 3;

/** Never rejects. Resolves with the delay until the next look. */
export async function runPass(
  tools: PassTools,
  session: Session,
  ref: ScopeRef,
  urgency: Urgency,
  signal: AbortSignal,
): Promise<number | undefined> {
  const startMs = tools.clock.monotonic();
  const end = await passOnce(tools, session, ref, urgency, signal).catch((error: unknown) =>
    passFailed(tools, session, ref, error, signal),
  );
  tools.observer.passEnded(ref.connection, end.result, tools.clock.monotonic() - startMs);
  return end.delayMs;
}

async function passOnce(
  tools: PassTools,
  session: Session,
  ref: ScopeRef,
  urgency: Urgency,
  signal: AbortSignal,
): Promise<PassEnd> {
  const gathered = gather(tools, session, ref);
  const { connection } = gathered;
  if (gathered.policies.every(({ isOwn }) => !isOwn) && gathered.ledger.length === 0) {
    session.forget(ref.scope);
    return { result: 'skipped', delayMs: undefined };
  }
  if (!connection) return rest(tools, session, gathered, { kind: 'no-connection' }, signal);
  if (isResting(gathered)) return rest(tools, session, gathered, { kind: 'suspended' }, signal);
  const known = { ...gathered, connection };
  // Whoever edits or pokes a policy may just have mended the connection, so that look goes out.
  const blocked = urgency === 'edit' ? undefined : session.blocked(ref.scope);
  if (blocked) return fail(tools, session, known, blocked, undefined, signal);
  try {
    const seen = await look(lookTools(tools), session, known, urgency, signal);
    return await finish(tools, session, known, seen, signal);
  } catch (error) {
    if (!isServiceFailure(error)) throw error;
    return fail(tools, session, known, failureOf(error), error, signal);
  }
}

type Known = Gathered & { readonly connection: RoleAlertConnection };

function lookTools(tools: PassTools) {
  const { observer, isReadOnly, clock, checkMayWrite } = tools;
  return {
    observer,
    isReadOnly,
    checkMayWrite,
    nowMs: () => clock.now(),
    monotonicMs: () => clock.monotonic(),
  };
}

function isServiceFailure(error: unknown): error is OperatorError {
  return error instanceof OperatorError && error.code !== 'stopped' && !error.code.startsWith('kube-');
}

/** Nothing to look at: one write, then silence until an event. */
async function rest(
  tools: PassTools,
  session: Session,
  gathered: Gathered,
  outcome: LookOutcome,
  signal: AbortSignal,
): Promise<PassEnd> {
  await recordAll(tools, session, gathered, () => outcome, signal);
  return { result: 'skipped', delayMs: undefined };
}

async function finish(
  tools: PassTools,
  session: Session,
  gathered: Known,
  seen: Look,
  signal: AbortSignal,
): Promise<PassEnd> {
  const memory = session.memory(gathered.ref.scope);
  keepUnrecorded(memory.unrecorded, seen.corrections);
  // Nothing was sent, so the plan was not carried out at all: the same as a list that failed.
  if (seen.error && !seen.isWriting) throw seen.error;
  const failure = seen.error && failureOf(seen.error);
  memory.failures = failure ? memory.failures + 1 : 0;
  tools.noteHealth(session, failure, gathered.intervalMs);
  session.recorder.settle(seen.plan.settled);
  announceOrphans(tools, gathered.connection, seen.corrections);
  const decisions = new Map(seen.plan.policies.map((decision) => [decision.key, decision]));
  await recordAll(
    tools,
    session,
    gathered,
    (input) => {
      const decision = decisions.get(input.key);
      if (!decision || input.policy.spec.suspend) return { kind: 'suspended' };
      return { kind: 'looked', decision, corrections: memory.unrecorded.get(input.key) ?? [] };
    },
    signal,
  );
  return {
    result: seen.isWriting ? 'corrected' : 'unchanged',
    delayMs: nextDelayMs(tools, gathered, seen, failure, memory.failures),
  };
}

/** Corrections stay until a status tells them: the API server may be away just now. */
function keepUnrecorded(unrecorded: Map<string, readonly Correction[]>, corrections: readonly Correction[]): void {
  for (const correction of corrections) {
    if (correction.policyKey === undefined) continue;
    unrecorded.set(correction.policyKey, [...(unrecorded.get(correction.policyKey) ?? []), correction]);
  }
}

/** A dismissal that nobody declares any more has no policy to tell it; its connection does. */
function announceOrphans(tools: PassTools, connection: RoleAlertConnection, corrections: readonly Correction[]): void {
  const { name, namespace, uid } = connection.metadata;
  const regarding = { apiVersion: groupVersion, kind: connectionKind, name, namespace, uid };
  for (const correction of corrections) {
    if (correction.policyKey === undefined) tools.events.record({ regarding, ...correctionEvent(correction) });
  }
}

function nextDelayMs(
  tools: PassTools,
  gathered: Known,
  seen: Look,
  failure: LookFailure | undefined,
  failures: number,
): number {
  const { intervalMs } = gathered;
  if (failure) return retryDelayMs(tools, failure, intervalMs, failures, seen.error);
  const changeMs = seen.plan.nextChangeMs;
  return changeMs === undefined ? intervalMs : Math.min(intervalMs, Math.max(changeMs - tools.clock.now(), 0));
}

function retryDelayMs(
  tools: PassTools,
  failure: LookFailure,
  intervalMs: number,
  failures: number,
  error: OperatorError | undefined,
): number {
  const delayMs = failureDelayMs(failure.pace, { intervalMs, failures, retryAfterMs: error?.retryAfterMs });
  return failure.pace === 'backoff' ? jitter(tools.random, delayMs, backoffJitter) : delayMs;
}

/** No whole list, so nothing was decided: say why, keep what was last seen. `error` is undefined for a closed connection. */
async function fail(
  tools: PassTools,
  session: Session,
  gathered: Known,
  failure: LookFailure,
  error: OperatorError | undefined,
  signal: AbortSignal,
): Promise<PassEnd> {
  const memory = session.memory(gathered.ref.scope);
  memory.failures++;
  if (error) {
    const { connection, scope } = gathered.ref;
    tools.log.warn(
      { connection, scope, code: error.code, reason: failure.reason, detail: error.detail, error: error.message },
      'look failed',
    );
    tools.noteHealth(session, failure, gathered.intervalMs);
  }
  const isStale = tools.clock.monotonic() - memory.lastListMs > staleIntervals * gathered.intervalMs;
  await recordAll(
    tools,
    session,
    gathered,
    ({ policy }) => (policy.spec.suspend ? { kind: 'suspended' } : { kind: 'failed', failure, isStale }),
    signal,
  );
  // A closed connection opens its scopes again by itself; the slow look is only there in case that goes wrong.
  const delayMs = error
    ? retryDelayMs(tools, failure, gathered.intervalMs, memory.failures, error)
    : slowDelayMs(gathered.intervalMs);
  return { result: 'failed', delayMs };
}

async function recordAll(
  tools: PassTools,
  session: Session,
  gathered: Gathered,
  outcomeOf: (input: PolicyInput) => LookOutcome,
  signal: AbortSignal,
): Promise<void> {
  const own = gathered.policies.filter(({ isOwn }) => isOwn);
  await Promise.all(own.map((input) => recordOne(tools, session, gathered, input, outcomeOf(input), signal)));
}

async function recordOne(
  tools: PassTools,
  session: Session,
  gathered: Gathered,
  input: PolicyInput,
  outcome: LookOutcome,
  signal: AbortSignal,
): Promise<void> {
  const { connection, ref } = gathered;
  const intervalMs = connection
    ? policyIntervalMs(input.policy, connection, tools.defaultIntervalMs)
    : tools.defaultIntervalMs;
  const effective = effectiveSettings(input.policy, intervalMs, tools.isReadOnly, ref.scope);
  const health = connection ? (session.health ?? 'Connected') : undefined;
  const status = { policy: input.policy, outcome, effective, connection: health, nowMs: tools.clock.now() };
  await recordPolicy(tools, status, signal);
  if (outcome.kind === 'looked') session.memory(ref.scope).unrecorded.delete(input.key);
}

/** Everything that is not the service's doing: the API server, a stop, or a bug of ours. */
async function passFailed(
  tools: PassTools,
  session: Session,
  ref: ScopeRef,
  error: unknown,
  signal: AbortSignal,
): Promise<PassEnd> {
  if (signal.aborted || isOperatorError(error, 'stopped')) return { result: 'skipped', delayMs: undefined };
  const memory = session.memory(ref.scope);
  memory.failures++;
  const delayMs = failureDelayMs('backoff', { intervalMs: 0, failures: memory.failures, retryAfterMs: undefined });
  if (error instanceof OperatorError) {
    tools.log.warn({ ...ref, code: error.code, error: error.message, detail: error.detail }, 'pass not recorded');
  } else {
    tools.log.error({ ...ref, err: error }, 'pass failed unexpectedly');
    await recordBug(tools, session, ref, signal);
  }
  return { result: 'error', delayMs: jitter(tools.random, delayMs, backoffJitter) };
}

async function recordBug(tools: PassTools, session: Session, ref: ScopeRef, signal: AbortSignal): Promise<void> {
  const failure = failureOf(new OperatorError('local', 'unexpected'));
  const outcome: LookOutcome = { kind: 'failed', failure, isStale: false };
  const gathered = gather(tools, session, ref);
  await recordAll(tools, session, gathered, () => outcome, signal).catch((error: unknown) =>
    tools.log.warn({ ...ref, err: error }, 'status not written'),
  );
}
