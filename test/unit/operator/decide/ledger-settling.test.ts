// When an entry of the ledger ends. The rule behind every row: an entry goes only when no PATCH of ours can
// still deactivate the alert, because the operator does not activate an inactive alert that is not in the ledger.
import { describe, expect, it } from 'vitest';

import type { PlanInput } from '../../../../src/operator/decide/decisions.ts';
import { plan } from '../../../../src/operator/decide/plan.ts';
import {
  alert,
  alertName,
  inactive,
  input,
  ledgerEntry,
  minuteMs,
  nowMs,
  planInput,
  refused,
  pendingWrite,
} from '../../../support/builders/objects.ts';

const dismissing = (change: Parameters<typeof input>[0] = {}) =>
  input({ spec: { alerts: [inactive({ maxIncidents: 9 })] }, ...change });
const turningOff = (change: Parameters<typeof pendingWrite>[0] = {}) =>
  new Map([[alertName.toLowerCase(), pendingWrite({ isActive: false, cause: 'DismissalHolds', ...change })]]);
const failure = (kind: 'Refused' | 'Unreachable') => ({ kind, serviceCode: undefined, retryAtMs: nowMs + minuteMs });
const unproven = new Set([alertName.toLowerCase()]);
const settledBy = (change: Partial<PlanInput>) =>
  plan(planInput({ policies: [], ledger: [ledgerEntry()], ...change })).resolvedDismissals.length;

describe('an entry stays', () => {
  it.each([
    ['while the alert is inactive', { alerts: [alert({ isActive: false })] }],
    ['while the alert is not listed, so that its state is unknown', { alerts: [] }],
    ['for two minutes after it was written: the PATCH may still be on its way', { unproven }],
    ['while the PATCH succeeded and is not verified', { sent: turningOff() }],
    ['while a policy is about to deactivate the alert again', { policies: [dismissing()] }],
    ['right after a PATCH without a response', { unproven, sent: turningOff({ failure: failure('Unreachable') }) }],
    [
      'when a PATCH was refused a moment ago, because an earlier one may still be applied',
      { unproven, sent: turningOff({ failure: failure('Refused') }) },
    ],
    [
      'when its policy wants to try again after such a refusal',
      { policies: [dismissing()], unproven, sent: turningOff({ failure: failure('Refused') }) },
    ],
    ['when the list was begun before the PATCH could have its effect, however old the entry is by now', { unproven }],
    [
      'when a repetition is refused a moment after a PATCH without a response',
      { policies: [dismissing()], unproven, sent: turningOff({ tries: 2, failure: failure('Refused') }) },
    ],
  ])('%s', (_, change: Partial<PlanInput>) => {
    expect(settledBy(change)).toBe(0);
  });
});

describe('an entry is settled', () => {
  it.each([
    ['when the alert is active and no policy wants it inactive', {}],
    [
      'when the alert is active and its own policy may not deactivate it again yet',
      { policies: [dismissing()], deactivationsLeft: 0 },
    ],
    ['when the alert is active and the one who wants it off may not', { policies: [dismissing({ grant: refused })] }],
    [
      'after two minutes when a repetition was refused',
      { policies: [dismissing()], sent: turningOff({ tries: 2, failure: failure('Refused') }) },
    ],
    [
      'when its time is far ahead, because the clock that wrote it was wrong',
      { ledger: [ledgerEntry({ sinceMs: nowMs + 60 * minuteMs })] },
    ],
    ['when the last PATCH was an activation', { sent: turningOff({ isActive: true, cause: 'Declared' }) }],
    ['in a read-only operator too', { isReadOnly: true }],
    ['however the service spells the alert', { alerts: [alert({ name: alertName.toUpperCase() })] }],
  ])('%s', (_, change: Partial<PlanInput>) => {
    expect(settledBy(change)).toBe(1);
  });
});
