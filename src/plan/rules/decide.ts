// The ordered list of rules that decide one alert of one policy.
import { isOftenUndone } from '../activation-backoff.ts';
import type { AlertDecision } from '../decisions.ts';
import { alertNotFound } from './alert-not-found.ts';
import { correctionFailed } from './correction-failed.ts';
import { correctionUndone } from './correction-undone.ts';
import { deactivationLimited } from './deactivation-limited.ts';
import { dismissalDenied } from './dismissal-denied.ts';
import { flapping } from './flapping.ts';
import { inSync } from './in-sync.ts';
import { ledgerFull } from './ledger-full.ts';
import { observeOnly } from './observe-only.ts';
import { outsideWindow } from './outside-window.ts';
import type { Rule, RuleInput } from './rule.ts';
import { scopeConflict } from './scope-conflict.ts';
import { unmanaged } from './unmanaged.ts';
import { unverifiedWrite } from './unverified-write.ts';

const rules: readonly Rule[] = [
  unmanaged,
  dismissalDenied,
  alertNotFound,
  scopeConflict,
  inSync,
  observeOnly,
  correctionFailed,
  unverifiedWrite,
  flapping,
  ledgerFull,
  outsideWindow,
  deactivationLimited,
  correctionUndone,
];

/** Drift that no rule holds is `Drifted` without a reason; for the owner it becomes an action. */
export function decideAlert(name: string, input: RuleInput): AlertDecision {
  const { claim, alert, isInLedger: isOurs, dismissedSince } = input;
  const isUndone = claim.want.state === 'Active' && isOftenUndone(input.activationBackoff);
  const base = { name, want: claim.want, alert, isOurs, dismissedSince, ...(isUndone && { isUndone }) };
  // By index: an iterator would make an object for each rule.
  for (let index = 0; index < rules.length; index++) {
    const result = rules[index]?.(input);
    if (result) return { ...base, ...result };
  }
  return { ...base, result: 'Drifted' };
}
