// What a plan knows of earlier plans, which the state of the scope keeps: pending writes, verified corrections and back-offs. A 204 has no
// body (specification 4.2), so a write becomes a correction only when a later list shows its flag. After two minutes without one it counts as
// not verified, and after one more interval the operator repeats it.
import { canonicalName } from '../../alerts/resource-id.ts';
import type { Alert } from '../../alerts/types.ts';
import { doublingMs } from '../../lib/duration.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import type { CorrectionRecord, DriftActor } from '../../policy/generated/role-alert-policy.ts';
import { verifyDeadlineMs } from '../dismissals/register.ts';

export type WriteState = 'Verifying' | 'NotVerified' | 'Failed' | 'MayRepeat';

/** The state of a write whose flag the last list does not show. */
export function writeState(write: PendingWrite, intervalMs: number, nowMs: number): WriteState {
  const ageMs = nowMs - write.sentAtMs;
  // The clock stepped back, so earlier times mean nothing, and the alert must not wait for them.
  if (ageMs < 0) return 'MayRepeat';
  if (write.failure) return nowMs < write.failure.retryAtMs ? 'Failed' : 'MayRepeat';
  if (ageMs >= verifyDeadlineMs + intervalMs) return 'MayRepeat';
  // A repeated write stays NotVerified until a list shows it; otherwise the condition would change at every repetition.
  return ageMs >= verifyDeadlineMs || write.tries > 1 ? 'NotVerified' : 'Verifying';
}

/**
 * When to check a write, in milliseconds since 1970: 1, 2, 4, 8 … s apart until the deadline, then when it may be
 * repeated.
 */
export function nextWriteCheckMs(write: PendingWrite, intervalMs: number, nowMs: number): number {
  if (write.failure) return write.failure.retryAtMs;
  const ageMs = nowMs - write.sentAtMs;
  if (ageMs >= verifyDeadlineMs || ageMs < 0) return write.sentAtMs + verifyDeadlineMs + intervalMs;
  let checkMs = 1000;
  while (checkMs <= ageMs) checkMs = checkMs * 2 + 1000;
  return write.sentAtMs + Math.min(checkMs, verifyDeadlineMs);
}

/** Why a PATCH is sent. */
export const actionCauses = [
  'Declared',
  'Unlisted',
  'DismissalHolds',
  'DismissalExpired',
  'NewIncidents',
  'DeclarationGone',
] as const;
export type ActionCause = (typeof actionCauses)[number];

/** What a PATCH sets, and why. */
export interface PatchFacts {
  readonly isActive: boolean;
  readonly cause: ActionCause;
  /** `namespace/name` of the policy that wants it; undefined for a dismissal that no policy declares any more. */
  readonly policyKey: string | undefined;
  /** The class of actor that probably made it necessary. */
  readonly actor: DriftActor;
}

/** A PATCH that no list has verified yet. The controller keeps it in memory; a restart loses it. */
export interface PendingWrite extends PatchFacts {
  /** When the latest try was sent; milliseconds since 1970. */
  readonly sentAtMs: number;
  /** 1 for the first try. */
  readonly tries: number;
  /** Set when the latest try failed. */
  readonly failure?: WriteFailure;
}

export interface WriteFailure {
  /**
   * `Refused`: by the service. `Unreachable`: the response was lost, or a try before may have been applied. `NotWritten`: no try was written to
   * the socket, so that it cannot have had an effect.
   */
  readonly kind: 'Refused' | 'Unreachable' | 'NotWritten';
  /** `error.code` of the response; undefined without one. */
  readonly serviceCode: string | undefined;
  readonly retryAtMs: number;
}

/** A sent write whose flag a list has shown. */
export interface Correction extends PatchFacts {
  /** In the service's spelling. */
  readonly alert: string;
  /** When a list showed it, in milliseconds since 1970. The status may be written hours later. */
  readonly seenAtMs: number;
}

/**
 * The back-off for an alert that other clients keep deactivating: each activation waits longer than the last, up to one interval, and the
 * operator never stops activating. How many corrections in a row activated the alert, and when a list last verified one (milliseconds since 1970); in memory
 * only, so the first activation after a restart is immediate.
 */
export interface ActivationBackoff {
  readonly count: number;
  readonly lastMs: number;
}

export interface VerifiedWrites {
  readonly corrections: readonly Correction[];
  /** Writes that no list has verified, by `canonicalName`. */
  readonly open: ReadonlyMap<string, PendingWrite>;
}

/**
 * Splits the sent writes by what the list shows. Drops writes to alerts that the service does not list, old ones, and those that cannot have
 * caused the flag because they were refused or never written.
 */
export function verifyWrites(
  sent: ReadonlyMap<string, PendingWrite>,
  alerts: readonly Alert[],
  intervalMs: number,
  nowMs: number,
): VerifiedWrites {
  if (sent.size === 0) return { corrections: [], open: sent };
  const live = new Map(alerts.map((alert) => [canonicalName(alert.name), alert]));
  const corrections: Correction[] = [];
  const open = new Map<string, PendingWrite>();
  for (const [key, write] of sent) {
    const alert = live.get(key);
    if (alert?.isActive === write.isActive) {
      if (write.failure?.kind === 'Refused' || write.failure?.kind === 'NotWritten') continue;
      const { isActive, cause, policyKey, actor } = write;
      corrections.push({ alert: alert.name, isActive, cause, policyKey, actor, seenAtMs: nowMs });
    } else if (alert && !isForgotten(write, intervalMs, nowMs)) {
      open.set(key, write);
    }
  }
  return { corrections, open };
}

/** True for a write so old that a policy which still wants it would have repeated it. */
function isForgotten(write: PendingWrite, intervalMs: number, nowMs: number): boolean {
  // A time far in the future comes from a wrong clock; the entry in the ledger must not wait for it.
  if (write.sentAtMs - nowMs > verifyDeadlineMs) return true;
  const lastMs = write.failure?.retryAtMs ?? write.sentAtMs;
  return nowMs - lastMs > 2 * (verifyDeadlineMs + intervalMs);
}

const historyLimit = 8;

/**
 * Newest first. A correction with the same reason as the alert's latest entry increments the count of that entry and
 * updates its time.
 */
export function nextHistory(
  previous: readonly CorrectionRecord[],
  corrections: readonly Correction[],
): CorrectionRecord[] {
  let history = [...previous];
  for (const { alert, isActive, cause, seenAtMs } of corrections) {
    const entry = {
      alert,
      direction: isActive ? ('Activated' as const) : ('Deactivated' as const),
      reason: historyReason(cause),
    };
    const at = formatTimestamp(seenAtMs);
    // An earlier status write may have been stored although its response was lost.
    if (history.some((old) => old.alert === alert && old.reason === entry.reason && old.at >= at)) continue;
    const latest = history.find((old) => old.alert === alert);
    const count = latest?.reason === entry.reason ? latest.count + 1 : 1;
    history = [{ at, ...entry, count }, ...history.filter((old) => count === 1 || old !== latest)];
  }
  return history.slice(0, historyLimit);
}

function historyReason(cause: ActionCause): string {
  if (cause === 'DismissalHolds') return 'Dismissed';
  return cause === 'Declared' || cause === 'Unlisted' ? 'Drift' : cause;
}

const firstDelayMs = 1000;

/**
 * When the operator may activate the alert again, in milliseconds since 1970. It may now when that is not after
 * `nowMs`, as it is after the clock stepped back.
 */
export function mayActivateAgainAtMs({ count, lastMs }: ActivationBackoff, intervalMs: number, nowMs: number): number {
  if (nowMs < lastMs) return nowMs;
  return lastMs + doublingMs(count, firstDelayMs, intervalMs);
}

/** True from the third activation in a row on. */
export function isOftenUndone(activationBackoff: ActivationBackoff | undefined): boolean {
  return (activationBackoff?.count ?? 0) >= 3;
}

/** Adds verified activations. Drops those older than two intervals: nothing undid them. */
export function nextActivationBackoffs(
  activationBackoffs: ReadonlyMap<string, ActivationBackoff>,
  corrections: readonly Correction[],
  intervalMs: number,
  nowMs: number,
): Map<string, ActivationBackoff> {
  const next = new Map([...activationBackoffs].filter(([, { lastMs }]) => Math.abs(nowMs - lastMs) <= 2 * intervalMs));
  for (const { alert, isActive, cause } of corrections) {
    if (!isActive || (cause !== 'Declared' && cause !== 'Unlisted')) continue;
    const key = canonicalName(alert);
    next.set(key, { count: (next.get(key)?.count ?? 0) + 1, lastMs: nowMs });
  }
  return next;
}
