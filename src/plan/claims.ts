// Which policy owns an alert when several have a say over it. Within one connection explicit beats unlisted, Active beats Inactive,
// then the oldest (creation time, then namespace/name). Across connections Active beats Inactive, a guard (`unlisted`) included: a
// grant of one connection's owner cannot overrule what the owner of another one guards.
import type { Want } from '../policy/wants.ts';
import type { PolicyInput } from './types.ts';

/** A policy's say over one alert. */
export interface Claim {
  readonly input: PolicyInput;
  readonly want: Want;
}

/** A policy has a say when it is in Enforce mode, not suspended, not being deleted, and what it wants is granted. */
export function hasSay(claim: Claim): boolean {
  const { spec, metadata } = claim.input.policy;
  const isStanding = spec.mode === 'Enforce' && !spec.suspend && metadata.deletionTimestamp === undefined;
  return isStanding && claim.want.state !== 'None' && claim.want.denial === undefined;
}

/**
 * The claim that counts, or undefined when no policy has a say. Turning on does not wait for a connection that cannot be used, when
 * another policy wants the same through one that can.
 */
export function ownerOf(claims: readonly Claim[]): Claim | undefined {
  const standing = claims.filter(hasSay).sort(byPrecedence);
  const first = winnersOf(standing).sort(acrossConnections)[0];
  if (first?.want.state !== 'Active' || first.input.canAct) return first;
  return standing.find(({ input, want }) => want.state === 'Active' && input.canAct) ?? first;
}

/** The first claim of each connection. */
function winnersOf(sorted: readonly Claim[]): Claim[] {
  const winners = new Map<string, Claim>();
  for (const claim of sorted) {
    if (!winners.has(claim.input.connection)) winners.set(claim.input.connection, claim);
  }
  return [...winners.values()];
}

function acrossConnections(a: Claim, b: Claim): number {
  return sideRank(a.want) - sideRank(b.want) || byPrecedence(a, b);
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
  const [first, second] = [a, b].map(({ policy, key }) => `${policy.metadata.creationTimestamp ?? ''} ${key}`);
  return (first ?? '') < (second ?? '') ? -1 : 1;
}
