// Which policy owns an alert when several claim it. Within one connection explicit beats unlisted, Active beats
// Inactive, then the oldest wins (creation time, then namespace/name). Across connections Active beats Inactive,
// unlisted claims included: a grant from the owner of one connection cannot overrule what the owner of another one
// guards. A connection takes part only after it has listed the scope with its own credential; having the same URL is
// not enough.
import { byText } from '../lib/by-text.ts';
import type { Want } from '../policy/wants.ts';
import type { PolicyInput, Claim } from './plan-input.ts';

/** True when the claim is in force and its connection is proven on the scope. */
export function competesForOwnership(claim: Claim): boolean {
  return claim.input.standing === 'Proven' && isInForce(claim);
}

/** True for a claim that competes, or that would compete once its connection has listed the scope. */
export function mayCompeteForOwnership(claim: Claim): boolean {
  return claim.input.standing !== 'Refused' && isInForce(claim);
}

/** The policy is in Enforce mode and neither suspended nor being deleted, and its claim is granted. */
function isInForce({ input, want }: Claim): boolean {
  const { spec, metadata } = input.policy;
  const isEnforced =
    spec.mode === 'Enforce' &&
    input.grant.mode === 'Enforce' &&
    !input.isSuspended &&
    metadata.deletionTimestamp === undefined;
  return isEnforced && want.state !== 'None' && want.denial === undefined;
}

/**
 * The claim that counts, or undefined when none competes. If the connection of that claim cannot act, a claim for the
 * same state through a usable connection takes its place.
 */
export function ownerOf(claims: readonly Claim[]): Claim | undefined {
  return ownerAmong(claims.filter(competesForOwnership));
}

/** The owner once every connection that has not been refused has listed the scope. */
export function ownerOnceHeard(claims: readonly Claim[]): Claim | undefined {
  return ownerAmong(claims.filter(mayCompeteForOwnership));
}

/** This connection's first claim for the same state as an owner of another connection, or undefined. */
export function substituteFor(owner: Claim, claims: readonly Claim[]): Claim | undefined {
  return claims
    .filter((claim) => claim.input.isOwn && claim.want.state === owner.want.state && competesForOwnership(claim))
    .sort(byPrecedence)[0];
}

/**
 * The granted dismissals that hold and so keep the alert inactive. A dismissal of this connection counts whatever the
 * mode of its policy. One of another connection counts if it competes or, while `isHearing`, may compete.
 */
export function dismissalsOf(claims: readonly Claim[], isHearing: boolean): Claim[] {
  return claims.filter((claim) => {
    const { want, input } = claim;
    if (want.state !== 'Inactive' || want.denial !== undefined) return false;
    if (input.isOwn) return input.policy.metadata.deletionTimestamp === undefined;
    return competesForOwnership(claim) || (isHearing && mayCompeteForOwnership(claim));
  });
}

function ownerAmong(claims: readonly Claim[]): Claim | undefined {
  // Most alerts have at most one claim, and every plan asks twice for each alert.
  if (claims.length < 2) return claims[0];
  const sorted = [...claims].sort(byPrecedence);
  const [first] = firstClaims(sorted).sort(acrossConnections);
  if (!first || first.input.canAct) return first;
  return sorted.find(({ input, want }) => want.state === first.want.state && input.canAct) ?? first;
}

/** The first claim of each connection, in the same order. */
function firstClaims(sorted: readonly Claim[]): Claim[] {
  const firsts = new Map<string, Claim>();
  for (const claim of sorted) {
    if (!firsts.has(claim.input.connection)) firsts.set(claim.input.connection, claim);
  }
  return [...firsts.values()];
}

/** Relies on a stable sort: claims for the same state keep their order of precedence. */
function acrossConnections(a: Claim, b: Claim): number {
  return sideRank(a.want) - sideRank(b.want);
}

function byPrecedence(a: Claim, b: Claim): number {
  return sourceRank(a.want) - sourceRank(b.want) || sideRank(a.want) - sideRank(b.want) || byAge(a.input, b.input);
}

function sourceRank({ source }: Want): number {
  return source === 'Unlisted' ? 1 : 0;
}

function sideRank({ state }: Want): number {
  return state === 'Active' ? 0 : 1;
}

function byAge(a: PolicyInput, b: PolicyInput): number {
  return byText(ageOf(a), ageOf(b));
}

function ageOf({ policy, key }: PolicyInput): string {
  return `${policy.metadata.creationTimestamp ?? ''} ${key}`;
}
