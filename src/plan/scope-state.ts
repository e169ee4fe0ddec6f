// What the operator remembers of one scope between its reconciles: a value, and the one step that leads to the next value. All of it
// may be lost: after a restart the lists, the statuses and the ledger lead back to the same decisions.
import { canonicalName } from '../alerts/resource-id.ts';
import type { RoleAlertPolicy } from '../policy/resources.ts';
import { nextActivationBackoffs } from './activation-backoff.ts';
import type { ConfirmedWrites } from './corrections.ts';
import { type DampingMemory, withDeactivation } from './damping.ts';
import type { ActivationBackoff, Correction, SentWrite, Waits } from './memory.ts';
import { noWaits } from './waits.ts';

export interface ScopeState {
  /** Writes that no list has confirmed, by canonical alert name. */
  readonly sent: ReadonlyMap<string, SentWrite>;
  /** Alerts that were activated lately, by canonical alert name. */
  readonly activationBackoffs: ReadonlyMap<string, ActivationBackoff>;
  /** Outlasts every status that was not written, or that another writer removed. */
  readonly damping: DampingMemory;
  /** Corrections that a list has proven and no status shows yet, by policy key. */
  readonly unrecorded: ReadonlyMap<string, readonly Correction[]>;
  /** Batches of actions that were begun. */
  readonly batches: number;
  /** Plans in a row of which nothing was sent, because each was outdated by then. */
  readonly outdated: number;
  /** When the statuses were last written after a part of a plan; monotonic milliseconds. */
  readonly partRecordedMs: number;
  /** What is left to other connections; in monotonic milliseconds, because a step of the wall clock must not end a wait. */
  readonly waits: Waits;
  /** When another connection last had the scope reconciled; monotonic milliseconds. */
  readonly wokenMs: number;
  /** Reconciles in a row that failed because of the service. */
  readonly failures: number;
  /** Reconciles in a row that the API server, or a defect, ended. */
  readonly errors: number;
  /** When the last whole list ended, or else when the scope was first known; monotonic milliseconds. */
  readonly lastListMs: number;
  /** Requests that the last whole list took. */
  readonly pages: number;
}

export type ScopeEvent =
  /** A whole list ended. */
  | {
      readonly kind: 'Listed';
      readonly pages: number;
      readonly writes: ConfirmedWrites;
      readonly intervalMs: number;
      readonly nowMs: number;
      readonly monotonicMs: number;
    }
  /** A plan was made; its waits in monotonic milliseconds. */
  | { readonly kind: 'Planned'; readonly waits: Waits }
  | { readonly kind: 'BatchBegun' }
  /** A deactivation is about to be sent. */
  | { readonly kind: 'Deactivating'; readonly policy: RoleAlertPolicy; readonly alert: string; readonly nowMs: number }
  /** A PATCH was sent, or tried. */
  | { readonly kind: 'Sent'; readonly alert: string; readonly write: SentWrite }
  /** A reconcile ended. */
  | { readonly kind: 'Ended'; readonly counts: Partial<EndCounts> }
  /** The status of the policy shows its corrections. */
  | { readonly kind: 'PolicyRecorded'; readonly policyKey: string }
  /** Every status shows what was concluded; `isPart`: of a part of a plan. */
  | { readonly kind: 'AllRecorded'; readonly isPart: boolean; readonly monotonicMs: number }
  /** The policy is gone: one that is created under its name does not show what was done for it. */
  | { readonly kind: 'PolicyGone'; readonly policyKey: string }
  /** Another connection has the scope reconciled at that moment. */
  | { readonly kind: 'Woken'; readonly atMs: number }
  /** A user edited a policy of the scope, or asked for a reconcile: back-offs end, the rate limiter stays. */
  | { readonly kind: 'Edited' }
  /** The spec of the connection changed. */
  | { readonly kind: 'ConnectionChanged' };

export type EndCounts = Pick<ScopeState, 'failures' | 'errors' | 'outdated'>;

/** `monotonicMs`: the time now. */
export function newScopeState(monotonicMs: number): ScopeState {
  return {
    sent: new Map(),
    activationBackoffs: new Map(),
    damping: new Map(),
    unrecorded: new Map(),
    batches: 0,
    outdated: 0,
    partRecordedMs: -Infinity,
    waits: noWaits,
    wokenMs: -Infinity,
    failures: 0,
    errors: 0,
    lastListMs: monotonicMs,
    pages: 1,
  };
}

export function stepScope(state: ScopeState, event: ScopeEvent): ScopeState {
  return { ...state, ...changeBy(state, event) };
}

function changeBy(state: ScopeState, event: ScopeEvent): Partial<ScopeState> {
  switch (event.kind) {
    case 'Listed':
      return afterList(state, event);
    case 'Planned':
      return { waits: event.waits };
    case 'BatchBegun':
      return { batches: state.batches + 1 };
    case 'Deactivating':
      return { damping: withDeactivation(state.damping, event.policy, event.alert, event.nowMs) };
    case 'Sent':
      return { sent: new Map(state.sent).set(canonicalName(event.alert), event.write) };
    case 'Ended':
      return event.counts;
    case 'PolicyRecorded':
      return { unrecorded: without(state.unrecorded, event.policyKey) };
    case 'AllRecorded':
      return { errors: 0, ...(event.isPart && { partRecordedMs: event.monotonicMs }) };
    case 'PolicyGone':
      return { unrecorded: without(state.unrecorded, event.policyKey), sent: disowned(state.sent, event.policyKey) };
    case 'Woken':
      return { wokenMs: event.atMs };
    case 'Edited':
      return { failures: 0, activationBackoffs: new Map(), sent: withoutFailed(state.sent) };
    case 'ConnectionChanged':
      return { failures: 0 };
  }
}

function afterList(state: ScopeState, event: Extract<ScopeEvent, { kind: 'Listed' }>): Partial<ScopeState> {
  const { pages, intervalMs, nowMs, monotonicMs } = event;
  const { corrections, open } = event.writes;
  return {
    sent: open,
    activationBackoffs: nextActivationBackoffs(state.activationBackoffs, corrections, intervalMs, nowMs),
    unrecorded: withUnrecorded(state.unrecorded, corrections),
    lastListMs: monotonicMs,
    pages,
  };
}

/** Corrections stay until a status shows them: the API server may not answer just now. */
function withUnrecorded(
  unrecorded: ScopeState['unrecorded'],
  corrections: readonly Correction[],
): ScopeState['unrecorded'] {
  const next = new Map(unrecorded);
  for (const correction of corrections) {
    const { policyKey } = correction;
    if (policyKey !== undefined) next.set(policyKey, [...(next.get(policyKey) ?? []), correction]);
  }
  return next;
}

function disowned(sent: ScopeState['sent'], policyKey: string): ScopeState['sent'] {
  const entries = [...sent].map(([alert, write]) => {
    return [alert, write.policyKey === policyKey ? { ...write, policyKey: undefined } : write] as const;
  });
  return new Map(entries);
}

function withoutFailed(sent: ScopeState['sent']): ScopeState['sent'] {
  return new Map([...sent].filter(([, { failure }]) => failure === undefined));
}

function without<T>(map: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> {
  return new Map([...map].filter(([other]) => other !== key));
}
