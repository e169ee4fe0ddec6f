// One pass: one look at one (connection, scope), from the caches to the statuses, and when to look again. A failed list
// plans nothing; a pass that fails says so in every status it is responsible for, and never takes another pass with it.
import type { Clock } from '../lib/clock.ts';
import { isOperatorError, OperatorError } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import { jitter, type Random } from '../lib/random.ts';
import { failureOf, isOfService, type LookFailure } from '../plan/failures.ts';
import { failureDelayMs, slowDelayMs } from '../plan/schedule.ts';
import type { LookOutcome } from '../plan/status.ts';
import type { RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import type { Known } from './basis.ts';
import type { Catalog, ScopeRef } from './catalog.ts';
import type { AttemptEnd } from './connection-health.ts';
import { type Gathered, gather, isResting } from './gather.ts';
import type { Shift } from './lane.ts';
import { type Look, look } from './look.ts';
import type { Neighbours } from './neighbours.ts';
import { noteHealth } from './note-health.ts';
import { noteLedger, noteScopeGone } from './note-ledger.ts';
import { announceOrphans, keepUnrecorded, recordAll } from './pass-record.ts';
import type { ClusterPort, EventPort, Observer, PassResult } from './ports.ts';
import type { Session } from './session.ts';
import type { Strangers } from './strangers.ts';

export interface PassTools {
  readonly catalog: Catalog;
  readonly cluster: ClusterPort;
  readonly strangers: Strangers;
  readonly events: EventPort;
  readonly observer: Observer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly isReadOnly: boolean;
  readonly defaultIntervalMs: number;
  readonly neighbours: Neighbours;
  /** What `record.ts` is writing just now. */
  readonly writing: Map<string, RoleAlertPolicyStatus>;
  /** Throws unless this process may write to the service now. */
  readonly checkMayWrite: () => void;
  /** Takes in how an attempt ended. Returns the failure as the scope's policies show it. */
  readonly noteHealth: (session: Session, scope: string, end: AttemptEnd) => LookFailure | undefined;
}

/** One pass while it runs. */
export interface Pass extends Shift {
  readonly tools: PassTools;
  readonly session: Session;
  readonly ref: ScopeRef;
}

interface PassEnd {
  readonly result: PassResult;
  /** Undefined when only an event can bring this scope back. */
  readonly delayMs: number | undefined;
}

const backoffJitter = 0.2;
const staleIntervals = 3;
const partRecordEveryMs = 60_000;
const recordEveryOutdated = 4;
const missingInShardMs = 5000;
/** With its jitter 30 s: so soon a status is written once the API server is back. Only a pass with something to write comes here. */
const longestErrorDelayMs = 25_000;

/** Never rejects. Resolves with the delay until the next look. */
export async function runPass(pass: Pass): Promise<number | undefined> {
  const { clock, observer } = pass.tools;
  const startMs = clock.monotonic();
  const end = await passOnce(pass).catch((error: unknown) => passFailed(pass, error));
  if (end.result !== 'error') pass.session.errors.delete(pass.ref.scope);
  observer.passEnded(pass.ref.connection, end.result, clock.monotonic() - startMs);
  return end.delayMs;
}

async function passOnce(pass: Pass): Promise<PassEnd> {
  const { tools, session, ref, urgency } = pass;
  const gathered = gather(tools, session, ref);
  const { connection } = gathered;
  if (gathered.policies.every(({ isOwn }) => !isOwn) && gathered.ledger.length === 0) {
    session.forget(ref.scope);
    return { result: 'skipped', delayMs: undefined };
  }
  if (!connection) return reportMissing(pass, gathered);
  if (isResting(gathered)) return rest(pass, gathered, { kind: 'suspended' });
  const known = { ...gathered, connection };
  session.roster.join(ref.scope);
  // An edit may just have mended the connection, so it passes the gate.
  const blocked = session.blocked(ref.scope, urgency);
  if (blocked) return hold(pass, known, blocked);
  try {
    return await finish(pass, known, await look(pass, known));
  } catch (error) {
    if (isOperatorError(error) && isOfService(error)) return fail(pass, known, error);
    if (!isCalledBack(pass, error)) throw error;
    const held = session.blocked(ref.scope, urgency);
    // Without a gate somebody edited it: that look is due, and this one is only asked for in case the gate has opened meanwhile.
    return held ? hold(pass, known, held) : { result: 'skipped', delayMs: 0 };
  }
}

/** It stopped waiting for the budget, before anything was sent. */
function isCalledBack({ signal, patience }: Pass, error: unknown): boolean {
  return isOperatorError(error, 'stopped') && patience.aborted && !signal.aborted;
}

/** In a shard not before a while: a connection is often made a moment after its policies, and then it is another shard's to say. */
async function reportMissing(pass: Pass, gathered: Gathered): Promise<PassEnd> {
  const { session, ref, tools } = pass;
  const { strangers, clock } = tools;
  if (await strangers.isElsewhere(ref.connection)) {
    session.forget(ref.scope);
    return { result: 'skipped', delayMs: undefined };
  }
  const leftMs = session.memory(ref.scope).lastListMs + missingInShardMs - clock.monotonic();
  if (strangers.isShard && leftMs > 0) return { result: 'skipped', delayMs: leftMs };
  return rest(pass, gathered, { kind: 'no-connection' });
}

/**
 * The caches or a newer list say something else by now. Should they never agree, the list is not asked as fast as it answers, and what
 * it shows is written at times.
 */
async function planAgain(pass: Pass, gathered: Known, seen: Look, { detail }: OperatorError): Promise<PassEnd> {
  const { tools, session, ref } = pass;
  const memory = session.memory(ref.scope);
  memory.failures = 0;
  memory.outdated++;
  tools.log.info({ ...ref, detail }, 'nothing sent, planned again');
  if (memory.outdated % recordEveryOutdated === 0) await recordSeen(pass, gathered, seen);
  const delayMs = failureDelayMs('backoff', { intervalMs: 0, failures: memory.outdated, retryAfterMs: undefined });
  return { result: 'unchanged', delayMs: jitter(tools.random, Math.min(delayMs, longestErrorDelayMs), backoffJitter) };
}

/** Nothing to look at: one write, then silence until an event. */
async function rest(pass: Pass, gathered: Gathered, outcome: LookOutcome): Promise<PassEnd> {
  pass.session.rest(pass.ref.scope);
  await recordAll(pass, gathered, () => outcome);
  return { result: 'skipped', delayMs: undefined };
}

async function finish(pass: Pass, gathered: Known, seen: Look): Promise<PassEnd> {
  const { tools, session, ref } = pass;
  const memory = session.memory(ref.scope);
  // What a whole list shows counts, whatever kept the plan from being carried out.
  keepUnrecorded(pass, seen.corrections);
  noteLedger(pass, gathered.connection, seen.plan);
  announceOrphans(tools, gathered.connection, seen.corrections);
  if (seen.corrections.length > 0) tools.neighbours.wakeOthers(ref);
  // Nothing was sent, so the plan was not carried out at all: the same as a list that failed.
  if (seen.error && !seen.isWriting) {
    if (seen.error.code === 'plan-outdated') return planAgain(pass, gathered, seen, seen.error);
    throw seen.error;
  }
  // Called back between two PATCHes: those that went out are open writes, which have their own time.
  const error = isCalledBack(pass, seen.error) ? undefined : seen.error;
  const failure = noteHealth(pass, gathered, error);
  if (error) noteSendingError(pass, seen, error);
  memory.outdated = 0;
  memory.failures = failure ? memory.failures + 1 : 0;
  if (!failure) session.roster.completed(ref.scope);
  if (isWithinBatches(pass, seen)) return { result: 'corrected', delayMs: 0 };
  await recordSeen(pass, gathered, seen);
  if (seen.isPartial) {
    memory.partRecordedMs = tools.clock.monotonic();
    return { result: 'corrected', delayMs: 0 };
  }
  const delayMs = failure
    ? retryDelayMs(pass, gathered, failure, seen.error)
    : changeDelayMs(pass, gathered, seen.plan.nextChangeMs);
  return { result: resultOf(seen), delayMs };
}

function recordSeen(pass: Pass, gathered: Known, { plan }: Look): Promise<void> {
  const { unrecorded } = pass.session.memory(pass.ref.scope);
  const decisions = new Map(plan.policies.map((decision) => [decision.key, decision]));
  return recordAll(pass, gathered, ({ key, policy }) => {
    const decision = decisions.get(key);
    if (!decision || policy.spec.suspend) return { kind: 'suspended' };
    return { kind: 'looked', decision, corrections: unrecorded.get(key) ?? [] };
  });
}

function resultOf({ isWriting, isVerified }: Look): PassResult {
  if (!isWriting) return 'unchanged';
  return isVerified ? 'corrected' : 'unverified';
}

/** `error` is what ended the sending, or the list that was to prove it. */
function noteSendingError({ tools, ref }: Pass, { isVerified }: Look, { code, detail, message }: OperatorError): void {
  const sentence = isVerified ? 'a part of the plan not sent' : 'sent and not verified';
  tools.log.warn({ ...ref, code, detail, error: message }, sentence);
}

/**
 * True for a part of a plan whose statuses can wait: they would be written with every batch, and say the same. The first part, the
 * last one and one a minute are written; and all that an edit or a deactivation is told by, because the next plan counts on it.
 */
function isWithinBatches({ tools, session, ref, urgency }: Pass, { isPartial, corrections }: Look): boolean {
  if (!isPartial || urgency === 'edit' || corrections.some(({ isActive }) => !isActive)) return false;
  return tools.clock.monotonic() - session.memory(ref.scope).partRecordedMs < partRecordEveryMs;
}

function changeDelayMs({ tools }: Pass, { intervalMs }: Known, nextChangeMs: number | undefined): number {
  if (nextChangeMs === undefined) return intervalMs;
  return Math.min(intervalMs, Math.max(nextChangeMs - tools.clock.now(), 0));
}

function retryDelayMs(pass: Pass, gathered: Known, failure: LookFailure, error: OperatorError | undefined): number {
  const { failures } = pass.session.memory(pass.ref.scope);
  const facts = { intervalMs: gathered.intervalMs, failures, retryAfterMs: error?.retryAfterMs };
  const delayMs = failureDelayMs(failure.pace, facts);
  return failure.pace === 'backoff' ? jitter(pass.tools.random, delayMs, backoffJitter) : delayMs;
}

/** No whole list, so nothing was decided: say why, keep what was last seen. */
async function fail(pass: Pass, gathered: Known, error: OperatorError): Promise<PassEnd> {
  const { tools, session, ref } = pass;
  session.memory(ref.scope).failures++;
  const { code, detail, message } = error;
  // The pause answers each scope that becomes due meanwhile, and the answer that began it is logged already.
  const level = code === 'service-busy' && session.isPaused ? 'debug' : 'warn';
  const failure = noteHealth(pass, gathered, error) ?? failureOf(error);
  tools.log[level]({ ...ref, code, reason: failure.reason, detail, error: message }, 'look failed');
  if (code === 'scope-not-found') noteScopeGone(pass, gathered.connection);
  await recordFailure(pass, gathered, failure);
  if (failure.pace === 'retry-after') return { result: 'failed', delayMs: waitForPause(pass, gathered) };
  return { result: 'failed', delayMs: retryDelayMs(pass, gathered, failure, error) };
}

/** Not its turn: the gate is closed, or the scope is throttled alone. */
async function hold(pass: Pass, gathered: Known, failure: LookFailure): Promise<PassEnd> {
  const { tools, session, ref } = pass;
  const isPaused = failure.pace === 'retry-after';
  // Before the first await: a gate that opens meanwhile must find it.
  if (!isPaused) session.roster.wait(ref.scope, tools.clock.monotonic());
  await recordFailure(pass, gathered, failure);
  if (isPaused) return { result: 'failed', delayMs: waitForPause(pass, gathered) };
  // A gate that opens brings its scopes back by itself; the slow retry is only there in case that goes wrong.
  return { result: 'failed', delayMs: slowDelayMs(gathered.intervalMs) };
}

/**
 * After the pause those that waited longest go first, an edit before them. The scope that was answered 429 itself has just had its
 * turn, and goes last. A scope that becomes stale within the pause is recorded then; the budget lets nothing of it out.
 */
function waitForPause(pass: Pass, gathered: Known): undefined {
  const { tools, session, ref, urgency } = pass;
  const { roster, lane } = session;
  const pauseMs = session.pauseLeftMs(ref.scope);
  const hasHadItsTurn = roster.isBusy(ref.scope);
  roster.wait(ref.scope, tools.clock.monotonic() + (hasHadItsTurn ? pauseMs : 0));
  const freshMs = freshLeftMs(pass, gathered);
  const delayMs = freshMs < 0 ? pauseMs : Math.min(pauseMs, freshMs + 1);
  lane.add(ref.scope, hasHadItsTurn ? 'resync' : urgency, delayMs, roster.waitingSinceMs(ref.scope));
}

/** Milliseconds until what was seen is stale; negative once it is. */
function freshLeftMs({ tools, session, ref }: Pass, { intervalMs }: Known): number {
  return session.memory(ref.scope).lastListMs + staleIntervals * intervalMs - tools.clock.monotonic();
}

async function recordFailure(pass: Pass, gathered: Known, failure: LookFailure): Promise<void> {
  const isStale = freshLeftMs(pass, gathered) < 0;
  await recordAll(pass, gathered, ({ policy }) =>
    policy.spec.suspend ? { kind: 'suspended' } : { kind: 'failed', failure, isStale },
  );
}

/** Everything that is not the service's doing: the API server, a stop, or a bug of ours. */
async function passFailed(pass: Pass, error: unknown): Promise<PassEnd> {
  const { tools, session, ref, signal } = pass;
  if (signal.aborted || isOperatorError(error, 'stopped')) return { result: 'skipped', delayMs: undefined };
  const errors = (session.errors.get(ref.scope) ?? 0) + 1;
  session.errors.set(ref.scope, errors);
  if (error instanceof OperatorError) {
    tools.log.warn({ ...ref, code: error.code, error: error.message, detail: error.detail }, 'pass not recorded');
  } else {
    tools.log.error({ ...ref, err: error }, 'pass failed unexpectedly');
    await recordBug(pass);
  }
  const delayMs = failureDelayMs('backoff', { intervalMs: 0, failures: errors, retryAfterMs: undefined });
  return { result: 'error', delayMs: jitter(tools.random, Math.min(delayMs, longestErrorDelayMs), backoffJitter) };
}

/** What tells of a bug may meet it too; then the log has to do. */
async function recordBug(pass: Pass): Promise<void> {
  const { tools, session, ref } = pass;
  const failure = failureOf(new OperatorError('local', 'unexpected'));
  try {
    await recordAll(pass, gather(tools, session, ref), () => ({ kind: 'failed', failure, isStale: false }));
  } catch (error) {
    tools.log.warn({ ...ref, err: error }, 'status not written');
  }
}
