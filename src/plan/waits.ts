// What a plan leaves to other connections, and for how long: a claim that is not proven yet holds a deactivation, and an alert whose
// owner came through another connection is corrected there. Both end by themselves, so that a connection that is never heard, or never
// acts, keeps no alert other than declared.
import { canonicalName } from '../alerts/resource-id.ts';
import { competesForOwnership, dismissalsOf, substituteFor } from './claims.ts';
import type { Waits } from './memory.ts';
import type { PlanInput, Claim, AlertRow } from './types.ts';

export const noWaits: Waits = { claimsSinceMs: undefined, ownerSinceMs: new Map() };

/** The same waits on a clock that is ahead by so much. */
export function shiftWaits({ claimsSinceMs, ownerSinceMs }: Waits, aheadMs: number): Waits {
  return {
    claimsSinceMs: claimsSinceMs === undefined ? undefined : claimsSinceMs + aheadMs,
    ownerSinceMs: new Map([...ownerSinceMs].map(([key, sinceMs]) => [key, sinceMs + aheadMs])),
  };
}

/** How long the claims of connections that were not heard hold a decision. */
export const hearingMs = 15 * 60_000;
/** How long a correction is left to the connection of its owner. */
export const ownerTurnMs = 30_000;

/** True while claims that are not proven yet may hold a decision. */
export function isHearing({ claimsSinceMs }: Waits, nowMs: number): boolean {
  return claimsSinceMs === undefined || nowMs - claimsSinceMs < hearingMs;
}

/** True once the owner's connection had its turn to correct the alert. */
export function isOwnerLate({ ownerSinceMs }: Waits, key: string, nowMs: number): boolean {
  const sinceMs = ownerSinceMs.get(key);
  return sinceMs !== undefined && nowMs - sinceMs >= ownerTurnMs;
}

/** After a clock stepped back a wait begins anew. */
function beginOf(sinceMs: number | undefined, nowMs: number): number {
  return Math.min(sinceMs ?? nowMs, nowMs);
}

/** What is waited for after this plan. What was waited for before keeps its beginning. */
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

/** When to reconcile again for what is waited for: after 1, 2, 4 … s for an owner's correction, and when either wait ends. */
export function waitMoments({ claimsSinceMs, ownerSinceMs }: Waits, nowMs: number): number[] {
  const owners = [...ownerSinceMs.values()].map((sinceMs) => nextTurnCheckMs(sinceMs, nowMs));
  return claimsSinceMs === undefined ? owners : [...owners, claimsSinceMs + hearingMs];
}

function nextTurnCheckMs(sinceMs: number, nowMs: number): number {
  let checkMs = 1000;
  while (sinceMs + checkMs <= nowMs) checkMs = checkMs * 2 + 1000;
  return sinceMs + Math.min(checkMs, ownerTurnMs);
}
