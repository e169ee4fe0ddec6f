// The ordered list of rules, and the row they fill for one alert of one policy.
import type { AlertDecision } from '../types.ts';
import { awaitingClaims } from './awaiting-claims.ts';
import { conflict } from './conflict.ts';
import { damped } from './damped.ts';
import { denied } from './denied.ts';
import { failedWrite } from './failed-write.ts';
import { hourlyLimit } from './hourly-limit.ts';
import { inSync } from './in-sync.ts';
import { ledgerHasRoom } from './ledger-room.ts';
import { leftToOwner } from './left-to-owner.ts';
import { missing } from './missing.ts';
import { observed } from './observed.ts';
import type { Rule, RuleInput } from './rule.ts';
import { undone } from './undone.ts';
import { unmanaged } from './unmanaged.ts';
import { unverifiedWrite } from './unverified-write.ts';

const rules: readonly Rule[] = [
  unmanaged,
  denied,
  missing,
  conflict,
  inSync,
  observed,
  failedWrite,
  unverifiedWrite,
  leftToOwner,
  awaitingClaims,
  damped,
  ledgerHasRoom,
  hourlyLimit,
  undone,
];

/** Drift that nothing stands in the way of is `Drifted` without a reason: the owner's becomes an action. */
export function decideAlert(name: string, input: RuleInput): AlertDecision {
  const base = { name, want: input.claim.want, alert: input.alert, isOurs: input.isInLedger };
  for (const rule of rules) {
    const ruling = rule(input);
    if (ruling) return { ...base, ...ruling };
  }
  return { ...base, result: 'Drifted' };
}
