import { competesForOwnership } from '../claims.ts';
import type { Rule } from './rule.ts';

/** Another policy owns the alert and wants the opposite. */
export const scopeConflict: Rule = ({ claim, owner }) => {
  if (!owner || !competesForOwnership(claim) || owner.want.state === claim.want.state) return undefined;
  return { result: 'Conflict', ownerKey: owner.input.key };
};
