// The in-memory state of one scope between reconciles: an immutable value, and the step function that computes the next
// one. A restart may lose it: lists, statuses and the ledger lead to the same decisions again.
import { canonicalName } from '../../alerts/resource-id.ts';
import { emptyMap, sharedIfEmpty } from '../../lib/shared-empty.ts';
import { type EndKind, type FailureStreak, noStreak } from './failures.ts';
import {
  type ActivationBackoff,
  type VerifiedWrites,
  type Correction,
  nextActivationBackoffs,
  type PendingWrite,
} from './writes.ts';

export interface ScopeState {
  /** Writes that no list has verified, by canonical alert name. */
  readonly sent: ReadonlyMap<string, PendingWrite>;
  /** Recently activated alerts, by canonical alert name. */
  readonly activationBackoffs: ReadonlyMap<string, ActivationBackoff>;
  /** Corrections that a list has proven and no status shows yet, by policy key. */
  readonly unrecorded: ReadonlyMap<string, readonly Correction[]>;
  /** Consecutive plans that were outdated before any action was sent. */
  readonly outdated: number;
  /** Uids of policies whose refused status was announced since every status was last written. */
  readonly refused: ReadonlySet<string>;
  /** Consecutive reconciles that failed because of the service. */
  readonly failures: number;
  /** Those of them that failed in the same way. */
  readonly streak: FailureStreak;
  /** Consecutive reconciles that the API server or a bug ended. */
  readonly errors: number;
  /** When the last complete list ended, or when the scope was first seen; monotonic milliseconds. */
  readonly lastListMs: number;
  /** Number of requests of the last complete list. */
  readonly pages: number;
  /**
   * How many responses had proven the credential of the connection when the service first refused it on this scope; undefined once the
   * scope was listed since.
   */
  readonly refusedAfter: number | undefined;
}

export type ScopeEvent =
  /** A complete list ended. */
  | {
      readonly kind: 'Listed';
      readonly pages: number;
      readonly writes: VerifiedWrites;
      readonly intervalMs: number;
      readonly nowMs: number;
      readonly monotonicMs: number;
    }
  /** The operator sent a PATCH, or tried to. */
  | { readonly kind: 'Sent'; readonly alert: string; readonly write: PendingWrite }
  /** A reconcile ended. */
  | { readonly kind: 'Ended'; readonly counts: Partial<EndCounts> }
  /** `proofs`: how many responses have proven the credential of the connection. */
  | { readonly kind: 'Answered'; readonly endKind: EndKind; readonly proofs: number }
  /** The status of the policy shows its corrections. */
  | { readonly kind: 'PolicyRecorded'; readonly policyKey: string }
  /** The API server refused the status of the policy. */
  | { readonly kind: 'StatusRefused'; readonly uid: string }
  /** Every status was written. */
  | { readonly kind: 'AllRecorded' }
  /** The policy was deleted. A new policy of the same name must not show its corrections. */
  | { readonly kind: 'PolicyGone'; readonly policyKey: string }
  /** A user edited a policy of the scope or requested a reconcile, which resets back-offs but not the rate limiter. */
  | { readonly kind: 'Edited' }
  /** The spec of the connection changed. */
  | { readonly kind: 'ConnectionChanged' };

export type EndCounts = Pick<ScopeState, 'failures' | 'streak' | 'errors' | 'outdated'>;

const noPolicies: ReadonlySet<string> = new Set();

/** `monotonicMs`: the current time. */
export function newScopeState(monotonicMs: number): ScopeState {
  return {
    sent: emptyMap,
    activationBackoffs: emptyMap,
    unrecorded: emptyMap,
    outdated: 0,
    refused: noPolicies,
    failures: 0,
    streak: noStreak,
    errors: 0,
    lastListMs: monotonicMs,
    pages: 1,
    refusedAfter: undefined,
  };
}

export function stepScope(state: ScopeState, event: ScopeEvent): ScopeState {
  return { ...state, ...changeBy(state, event) };
}

function changeBy(state: ScopeState, event: ScopeEvent): Partial<ScopeState> {
  switch (event.kind) {
    case 'Listed':
      return afterList(state, event);
    case 'Sent':
      return { sent: new Map(state.sent).set(canonicalName(event.alert), event.write) };
    case 'Ended':
      return event.counts;
    case 'Answered':
      return afterAnswer(state, event.endKind, event.proofs);
    case 'PolicyRecorded':
      return { unrecorded: without(state.unrecorded, event.policyKey) };
    case 'StatusRefused':
      return { refused: new Set(state.refused).add(event.uid) };
    case 'AllRecorded':
      return { errors: 0, refused: noPolicies };
    case 'PolicyGone':
      return { unrecorded: without(state.unrecorded, event.policyKey), sent: disowned(state.sent, event.policyKey) };
    case 'Edited':
      return { failures: 0, streak: noStreak, activationBackoffs: emptyMap, sent: withoutFailed(state.sent) };
    case 'ConnectionChanged':
      return { failures: 0, streak: noStreak, refusedAfter: undefined };
  }
}

function afterAnswer({ refusedAfter = Infinity }: ScopeState, endKind: EndKind, proofs: number): Partial<ScopeState> {
  if (endKind === 'refused') return { refusedAfter: Math.min(refusedAfter, proofs) };
  return endKind === 'listed' || endKind === 'answered' ? { refusedAfter: undefined } : {};
}

function afterList(state: ScopeState, event: Extract<ScopeEvent, { kind: 'Listed' }>): Partial<ScopeState> {
  const { pages, intervalMs, nowMs, monotonicMs } = event;
  const { corrections, open } = event.writes;
  return {
    sent: sharedIfEmpty(open),
    activationBackoffs: sharedIfEmpty(nextActivationBackoffs(state.activationBackoffs, corrections, intervalMs, nowMs)),
    unrecorded: withUnrecorded(state.unrecorded, corrections),
    lastListMs: monotonicMs,
    pages,
    refusedAfter: undefined,
  };
}

/** Corrections stay until a status shows them, because a status write may fail. */
function withUnrecorded(
  unrecorded: ScopeState['unrecorded'],
  corrections: readonly Correction[],
): ScopeState['unrecorded'] {
  const next = new Map(unrecorded);
  for (const correction of corrections) {
    const { policyKey } = correction;
    if (policyKey !== undefined) next.set(policyKey, withLatest(next.get(policyKey) ?? [], correction));
  }
  return sharedIfEmpty(next);
}

/** While a status cannot be written for weeks, other clients may undo every correction. */
const unrecordedOfAlert = 32;

/** Adds the correction, and drops the oldest of the same alert if there are too many. */
function withLatest(corrections: readonly Correction[], added: Correction): readonly Correction[] {
  const ofAlert = corrections.filter(({ alert }) => alert === added.alert);
  const [oldest] = ofAlert;
  const kept = ofAlert.length < unrecordedOfAlert ? corrections : corrections.filter((each) => each !== oldest);
  return [...kept, added];
}

function disowned(sent: ScopeState['sent'], policyKey: string): ScopeState['sent'] {
  const entries = [...sent].map(([alert, write]) => {
    return [alert, write.policyKey === policyKey ? { ...write, policyKey: undefined } : write] as const;
  });
  return sharedIfEmpty(new Map(entries));
}

function withoutFailed(sent: ScopeState['sent']): ScopeState['sent'] {
  return sharedIfEmpty(new Map([...sent].filter(([, { failure }]) => failure === undefined)));
}

function without<T>(map: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> {
  return sharedIfEmpty(new Map([...map].filter(([other]) => other !== key)));
}
