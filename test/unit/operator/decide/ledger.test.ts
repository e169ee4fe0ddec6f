// When an entry of the ledger ends. The rule behind every row: an entry goes only when no PATCH of ours can
// still deactivate the alert, because the operator does not activate an inactive alert that is not in the ledger. And what a plan does for an
// entry whose alert is inactive.
import { describe, expect, it } from 'vitest';

import type { PlanInput } from '../../../../src/operator/decide/decisions.ts';
import { plan } from '../../../../src/operator/decide/plan.ts';
import {
  alert,
  alertName,
  inactive,
  input,
  intervalMs,
  ledgerEntry,
  minuteMs,
  nowMs,
  pendingWrite,
  planInput,
  refused,
} from '../../../support/builders/objects.ts';

const key = alertName.toLowerCase();
const off = alert({ isActive: false });
const older = { createdAt: '2025-01-01T00:00:00Z' };
const dismissing = (change: Parameters<typeof input>[0] = {}) =>
  input({ ...change, spec: { alerts: [inactive({ maxIncidents: 9 })], ...change.spec } });
const planned = (change: Partial<PlanInput>) => plan(planInput({ alerts: [off], ledger: [ledgerEntry()], ...change }));
const turningOff = (change: Parameters<typeof pendingWrite>[0] = {}) =>
  new Map([[key, pendingWrite({ isActive: false, cause: 'DismissalHolds', ...change })]]);
const failure = (kind: 'Refused' | 'Unreachable') => ({ kind, serviceCode: undefined, retryAtMs: nowMs + minuteMs });
const unproven = new Set([key]);
const settledBy = (change: Partial<PlanInput>) =>
  plan(planInput({ policies: [], ledger: [ledgerEntry()], ...change })).resolvedDismissals.length;

it.each([
  ['while the alert is inactive', { alerts: [alert({ isActive: false })] }],
  ['while the alert is not listed, so that its state is unknown', { alerts: [] }],
  ['for two minutes after it was written: the PATCH may still be on its way', { unproven }],
  ['while the PATCH succeeded and is not verified', { sent: turningOff() }],
  ['while a policy is about to deactivate the alert again', { policies: [dismissing()] }],
  [
    'when its policy wants to try again after such a refusal',
    { policies: [dismissing()], unproven, sent: turningOff({ failure: failure('Refused') }) },
  ],
])('an entry stays %s', (_, change: Partial<PlanInput>) => {
  expect(settledBy(change)).toBe(0);
});

it.each([
  ['when the alert is active and no policy wants it inactive', {}],
  ['when its own policy may not deactivate the alert again yet', { policies: [dismissing()], deactivationsLeft: 0 }],
  ['when the policy that dismisses the alert may not', { policies: [dismissing({ grant: refused })] }],
  [
    'after two minutes when a repetition was refused',
    { policies: [dismissing()], sent: turningOff({ tries: 2, failure: failure('Refused') }) },
  ],
  ['when the last PATCH was an activation', { sent: turningOff({ isActive: true, cause: 'Declared' }) }],
  ['in a read-only operator too', { isReadOnly: true }],
  ['however the service spells the alert', { alerts: [alert({ name: alertName.toUpperCase() })] }],
])('an entry is settled %s', (_, change: Partial<PlanInput>) => {
  expect(settledBy(change)).toBe(1);
});

describe('an entry of an inactive alert', () => {
  it('is kept for the policy that it names, as long as that dismisses the alert', () => {
    const both = [dismissing({ name: 'first', ...older }), dismissing()];
    expect(planned({ policies: both }).kept).toMatchObject([{ policyKey: 'team/owners' }]);
  });

  it('is kept for a policy that only observes, when no other one dismisses the alert', () => {
    const observing = dismissing({ name: 'observing', spec: { mode: 'Observe' } });
    expect(planned({ policies: [observing] }).kept).toMatchObject([{ policyKey: 'team/observing' }]);
  });

  it('is not kept while its owner is about to activate the alert', () => {
    const policies = [dismissing({ spec: { mode: 'Observe' } }), input({ name: 'on' })];
    expect(planned({ policies })).toMatchObject({ kept: [], actions: [{ isActive: true, cause: 'Declared' }] });
  });
});

describe('an alert that no policy dismisses any more', () => {
  it('is activated once, by this operator itself, however many entries it has', () => {
    const ledger = [ledgerEntry(), ledgerEntry({ alert: alertName.toUpperCase() })];
    expect(planned({ policies: [], ledger }).actions).toEqual([
      { alert: alertName, isActive: true, cause: 'DeclarationGone', policyKey: undefined, actor: 'Self' },
    ]);
  });

  it.each([
    ['is not activated again while a list may still show the last activation', 2 * minuteMs, 0],
    ['is activated again once that was not seen for two minutes and an interval', 2 * minuteMs + intervalMs, 1],
  ])('%s', (_, agoMs, expected) => {
    const sent = new Map([[key, pendingWrite({ sentAtMs: nowMs - agoMs, cause: 'DeclarationGone' })]]);
    expect(planned({ policies: [], sent }).actions).toHaveLength(expected);
  });
});
