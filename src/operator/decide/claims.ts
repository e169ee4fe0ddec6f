// Which policy owns an alert when several policies of one connection claim it: explicit beats unlisted, Active beats Inactive, then
// the oldest wins (creation time, then namespace/name). Policies of other connections have no say: a connection sees what others
// do as the work of any other client of the service.
import { byText } from '../../lib/compare-text.ts';
import type { Want } from '../../policy/wants.ts';
import type { Claim, PolicyInput } from './decisions.ts';

/** The policy enforces, and its claim is granted. */
export function competesForOwnership({ input, want }: Claim): boolean {
  return isEnforced(input) && want.state !== 'None' && want.denial === undefined;
}

/** The policy is in Enforce mode, is allowed to be, and is neither suspended nor being deleted. */
function isEnforced({ policy: { spec, metadata }, grant, isSuspended }: PolicyInput): boolean {
  return (
    spec.mode === 'Enforce' && grant.mode === 'Enforce' && !isSuspended && metadata.deletionTimestamp === undefined
  );
}

/** The claim that counts, or undefined when none competes. In one pass, because a scope may have thousands of policies. */
export function ownerOf(claims: readonly Claim[]): Claim | undefined {
  return claims
    .filter(competesForOwnership)
    .reduce<Claim | undefined>((first, claim) => (first && byPrecedence(first, claim) <= 0 ? first : claim), undefined);
}

/** The granted dismissals that hold and so keep an alert inactive that the operator deactivated, whatever the mode of their policies. */
export function dismissalsOf(claims: readonly Claim[]): Claim[] {
  return claims.filter(
    ({ want, input }) =>
      want.state === 'Inactive' && want.denial === undefined && input.policy.metadata.deletionTimestamp === undefined,
  );
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
function byAge(a: PolicyInput, b: PolicyInput): number {
  return byText(createdAt(a), createdAt(b)) || byText(a.key, b.key);
}

function createdAt({ policy }: PolicyInput): string {
  return policy.metadata.creationTimestamp ?? '';
}
