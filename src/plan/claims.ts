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

/** The policy enforces, and its claim is granted. */
function isInForce({ input, want }: Claim): boolean {
  return isEnforced(input) && want.state !== 'None' && want.denial === undefined;
}

/** The policy is in Enforce mode, is allowed to be, and is neither suspended nor being deleted. */
function isEnforced({ policy: { spec, metadata }, grant, isSuspended }: PolicyInput): boolean {
  return (
    spec.mode === 'Enforce' && grant.mode === 'Enforce' && !isSuspended && metadata.deletionTimestamp === undefined
  );
}

/**
 * The policies whose claims a plan has to know: the own ones, and of other connections those that may compete. Any tenant may
 * create thousands of others for this endpoint and scope.
 */
export function claimants(policies: readonly PolicyInput[]): readonly PolicyInput[] {
  return policies.filter((input) => input.isOwn || (input.standing !== 'Refused' && isEnforced(input)));
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
  return firstOf(
    claims.filter((claim) => claim.input.isOwn && claim.want.state === owner.want.state && competesForOwnership(claim)),
    byPrecedence,
  );
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
  const first = firstOf(firstClaims(claims), (a, b) => acrossConnections(a, b) || byPrecedence(a, b));
  if (!first || first.input.canAct) return first;
  const usable = claims.filter(({ input, want }) => want.state === first.want.state && input.canAct);
  return firstOf(usable, byPrecedence) ?? first;
}

/** The first claim of each connection. */
function firstClaims(claims: readonly Claim[]): readonly Claim[] {
  const firsts = new Map<string, Claim>();
  for (const claim of claims) {
    const { connection } = claim.input;
    const first = firsts.get(connection);
    if (!first || byPrecedence(claim, first) < 0) firsts.set(connection, claim);
  }
  return [...firsts.values()];
}

/** In one pass, because a neighbour may have thousands of claims. */
function firstOf(claims: readonly Claim[], compare: (a: Claim, b: Claim) => number): Claim | undefined {
  return claims.reduce<Claim | undefined>(
    (first, claim) => (first && compare(first, claim) <= 0 ? first : claim),
    undefined,
  );
}

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

/** The oldest first: by creation time, then by `namespace/name`. */
export function byAge(a: PolicyInput, b: PolicyInput): number {
  return byText(createdAt(a), createdAt(b)) || byText(a.key, b.key);
}

function createdAt({ policy }: PolicyInput): string {
  return policy.metadata.creationTimestamp ?? '';
}
