// Which policy owns an alert when several have a say over it. Within one connection explicit beats unlisted, Active beats Inactive,
// then the oldest (creation time, then namespace/name). Across connections Active beats Inactive, a guard (`unlisted`) included: a
// grant of one connection's owner cannot overrule what the owner of another one guards. A connection that has never listed the scope
// with its own credential is no neighbour, whatever its URL says.
import { byText } from '../lib/by-text.ts';
import type { Want } from '../policy/wants.ts';
import type { PolicyInput, Claim } from './types.ts';

/** A policy has a say when it would have one by its spec, and its connection has proven itself on the scope. */
export function competesForOwnership(claim: Claim): boolean {
  return claim.input.standing === 'Proven' && isInForce(claim);
}

/** True for a policy that has a say, and for one that would have it if its connection proved itself now. */
export function mayCompeteForOwnership(claim: Claim): boolean {
  return claim.input.standing !== 'Refused' && isInForce(claim);
}

/** In Enforce mode, not suspended, not being deleted, and what it wants is granted. */
function isInForce({ input, want }: Claim): boolean {
  const { spec, metadata } = input.policy;
  const isEnforced = spec.mode === 'Enforce' && !spec.suspend && metadata.deletionTimestamp === undefined;
  return isEnforced && want.state !== 'None' && want.denial === undefined;
}

/**
 * The claim that counts, or undefined when no policy has a say. No alert waits for a connection that cannot be used, when another
 * policy with a say wants the same through one that can.
 */
export function ownerOf(claims: readonly Claim[]): Claim | undefined {
  return ownerAmong(claims.filter(competesForOwnership));
}

/** The owner if every connection that is not heard yet proved itself now. */
export function ownerOnceHeard(claims: readonly Claim[]): Claim | undefined {
  return ownerAmong(claims.filter(mayCompeteForOwnership));
}

/** The policy of this connection that wants what the owner through another connection wants, or undefined. */
export function substituteFor(owner: Claim, claims: readonly Claim[]): Claim | undefined {
  return claims
    .filter((claim) => claim.input.isOwn && claim.want.state === owner.want.state && competesForOwnership(claim))
    .sort(byPrecedence)[0];
}

/**
 * The claims that keep the alert inactive: granted dismissals that hold. One of this connection counts whatever the mode of its policy,
 * one of another connection while its policy has a say, or may have it and `isHearing`.
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
  const sorted = [...claims].sort(byPrecedence);
  const [first] = winnersOf(sorted).sort(acrossConnections);
  if (!first || first.input.canAct) return first;
  return sorted.find(({ input, want }) => want.state === first.want.state && input.canAct) ?? first;
}

/** The first claim of each connection, in the same order. */
function winnersOf(sorted: readonly Claim[]): Claim[] {
  const winners = new Map<string, Claim>();
  for (const claim of sorted) {
    if (!winners.has(claim.input.connection)) winners.set(claim.input.connection, claim);
  }
  return [...winners.values()];
}

/** For claims that are sorted by precedence: where the sides are the same, that decides. */
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
