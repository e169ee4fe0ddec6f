// Which policy owns an alert when several have a say over it: explicit beats unlisted, Active beats Inactive, then the
// oldest (creation time, then namespace/name).
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
  const [first, ...others] = claims.filter(hasSay).sort(byPrecedence);
  if (first?.want.state !== 'Active' || first.input.canAct) return first;
  return others.find(({ input, want }) => want.state === 'Active' && input.canAct) ?? first;
}

function byPrecedence(a: Claim, b: Claim): number {
  return rank(a.want) - rank(b.want) || byAge(a.input, b.input);
}

function rank(want: Want): number {
  const explicit = want.source === 'Unlisted' ? 2 : 0;
  return explicit + (want.state === 'Active' ? 0 : 1);
}

function byAge(a: PolicyInput, b: PolicyInput): number {
  const [first, second] = [a, b].map(({ policy, key }) => `${policy.metadata.creationTimestamp ?? ''} ${key}`);
  return (first ?? '') < (second ?? '') ? -1 : 1;
}
