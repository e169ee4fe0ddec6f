// What a plan leaves to other connections, and for how long. A claim of a connection that has not listed the scope yet
// holds a deactivation, and the connection of an alert's owner corrects the alert. Both waits are bounded, so that a
// connection that never lists or acts cannot keep an alert from its desired state.
import { canonicalName } from '../alerts/resource-id.ts';
import { emptyMap } from '../lib/shared-empty.ts';
import { competesForOwnership, dismissalsOf, substituteFor } from './claims.ts';
import type { Waits } from './memory.ts';
import type { PlanInput, Claim, AlertRow } from './plan-input.ts';

export const noWaits: Waits = { claimsSinceMs: undefined, ownerSinceMs: emptyMap };

/** Moves the start of every wait by `offsetMs`, from the monotonic to the wall clock or back. */
export function shiftWaits({ claimsSinceMs, ownerSinceMs }: Waits, offsetMs: number): Waits {
  if (claimsSinceMs === undefined && ownerSinceMs.size === 0) return noWaits;
  return {
    claimsSinceMs: claimsSinceMs === undefined ? undefined : claimsSinceMs + offsetMs,
    ownerSinceMs: new Map([...ownerSinceMs].map(([key, sinceMs]) => [key, sinceMs + offsetMs])),
  };
}

/** The longest time that unproven claims hold a decision, in milliseconds. */
export const hearingMs = 15 * 60_000;
/** The shortest time between two reconciles of a scope because of another connection, in milliseconds. */
export const betweenWakesMs = 5000;
/** The time that an owner's connection has for a correction, in milliseconds. */
export const ownerTurnMs = 30_000;

/** True while unproven claims may hold a decision. */
export function isHearing({ claimsSinceMs }: Waits, nowMs: number): boolean {
  return claimsSinceMs === undefined || nowMs - claimsSinceMs < hearingMs;
}

/** True once the time of the owner's connection is over. */
export function isOwnerLate({ ownerSinceMs }: Waits, key: string, nowMs: number): boolean {
  const sinceMs = ownerSinceMs.get(key);
  return sinceMs !== undefined && nowMs - sinceMs >= ownerTurnMs;
}

/** A wait begins anew after the clock stepped back. */
function beginOf(sinceMs: number | undefined, nowMs: number): number {
  return Math.min(sinceMs ?? nowMs, nowMs);
}

/** The waits after this plan. A wait that continues keeps its beginning. */
export function nextWaits(input: PlanInput, rows: readonly AlertRow[]): Waits {
  const inLedger = new Set(input.ledger.map((entry) => canonicalName(entry.alert)));
  const { claimsSinceMs, ownerSinceMs } = input.waits;
  const isHeld = rows.some((row) => isHeldByClaims(row, inLedger.has(row.key)));
  const left = rows.filter((row) => isLeftToOwner(row, inLedger.has(row.key)));
  return {
    claimsSinceMs: isHeld ? beginOf(claimsSinceMs, input.nowMs) : undefined,
    ownerSinceMs: new Map(left.map(({ key }) => [key, beginOf(ownerSinceMs.get(key), input.nowMs)])),
  };
}

function isHeldByClaims(row: AlertRow, isInLedger: boolean): boolean {
  const { alert, claims, awaited } = row;
  if (alert?.isActive) return awaited !== undefined && claims.some(isOwnDismissal);
  return isInLedger && dismissalsOf(claims, true).length > 0 && dismissalsOf(claims, false).length === 0;
}

function isOwnDismissal(claim: Claim): boolean {
  return claim.input.isOwn && claim.want.state === 'Inactive' && competesForOwnership(claim);
}

function isLeftToOwner({ alert, winner, claims }: AlertRow, isInLedger: boolean): boolean {
  if (!alert || !winner || winner.input.isOwn) return false;
  const { state } = winner.want;
  if (alert.isActive === (state === 'Active')) return false;
  return substituteFor(winner, claims) !== undefined || (state === 'Active' && isInLedger);
}

/**
 * When to check the waits, in milliseconds since 1970: 1, 2, 4 … s apart for an owner's correction, and at the end of
 * each.
 */
export function waitMoments({ claimsSinceMs, ownerSinceMs }: Waits, nowMs: number): number[] {
  const owners = [...ownerSinceMs.values()].map((sinceMs) => nextTurnCheckMs(sinceMs, nowMs));
  return claimsSinceMs === undefined ? owners : [...owners, claimsSinceMs + hearingMs];
}

function nextTurnCheckMs(sinceMs: number, nowMs: number): number {
  let checkMs = 1000;
  while (sinceMs + checkMs <= nowMs) checkMs = checkMs * 2 + 1000;
  return sinceMs + Math.min(checkMs, ownerTurnMs);
}
