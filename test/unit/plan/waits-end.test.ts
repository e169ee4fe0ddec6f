// When a plan waits for other connections: each wait delays decisions, so none begins without a reason.
import { describe, expect, it } from 'vitest';

import type { PlanInput } from '../../../src/plan/plan-input.ts';
import { plan } from '../../../src/plan/plan.ts';
import { noWaits, ownerTurnMs, shiftWaits } from '../../../src/plan/waits.ts';
import {
  alert,
  alertName,
  inactive,
  input,
  ledgerEntry,
  minuteMs,
  nowMs,
  planInput,
} from '../../support/builders/objects.ts';

const key = alertName.toLowerCase();
const off = alert({ isActive: false });
const older = '2025-01-01T00:00:00Z';
const dismissal = { alerts: [inactive({ maxIncidents: 9 })] };
const theirs = (change: Parameters<typeof input>[0] = {}) =>
  input({ name: 'theirs', createdAt: older, isOwn: false, ...change });
const unheard = theirs({ name: 'unheard', connection: 'team/unheard', standing: 'Unheard' });
const waits = (change: Partial<PlanInput>) => plan(planInput(change)).waits;
const late = { ...noWaits, ownerSinceMs: new Map([[key, nowMs - ownerTurnMs]]) };

describe('nothing is waited for', () => {
  it.each<[string, Partial<PlanInput>]>([
    ['while no policy here dismisses the alert', { policies: [input(), unheard] }],
    [
      'while the policy that dismisses the alert here only observes',
      { policies: [input({ spec: { ...dismissal, mode: 'Observe' } }), unheard] },
    ],
    ['while the dismissal is of another connection', { policies: [theirs({ spec: dismissal }), unheard] }],
    [
      'while a proven dismissal keeps the alert of an entry inactive',
      {
        policies: [input({ spec: dismissal }), theirs({ standing: 'Unheard', spec: dismissal })],
        alerts: [off],
        ledger: [ledgerEntry()],
      },
    ],
    ['for an entry that no policy may dismiss', { policies: [], alerts: [off], ledger: [ledgerEntry()] }],
    [
      'for the dismissal of an alert that is not in the ledger',
      { policies: [theirs({ standing: 'Unheard', spec: dismissal })], alerts: [off] },
    ],
    [
      'for what another connection declares of an alert that is not listed',
      { policies: [theirs({ standing: 'Unheard', spec: dismissal })], alerts: [], ledger: [ledgerEntry()] },
    ],
    [
      'for what another connection declares of an alert that a policy here declares and that is not listed',
      { policies: [input(), theirs({ standing: 'Unheard', spec: dismissal })], alerts: [], ledger: [ledgerEntry()] },
    ],
    ['for the owner of an alert that no policy here declares', { policies: [theirs()], alerts: [off] }],
    [
      'for the owner of an alert that a policy here only observes',
      { policies: [input({ spec: { mode: 'Observe' } }), theirs()], alerts: [off] },
    ],
    [
      'for a deactivation that another connection owes to an alert of an entry',
      { policies: [theirs({ spec: dismissal })], ledger: [ledgerEntry()] },
    ],
  ])('%s', (_, change) => {
    expect(waits(change)).toEqual(noWaits);
  });
});

describe('a wait', () => {
  it('for claims begins with the first alert that it holds, whatever the others are', () => {
    const spec = { alerts: [{ name: 'Another', state: 'Active' as const }, ...dismissal.alerts] };
    const alerts = [alert({ name: 'Another' }), alert()];
    expect(waits({ policies: [input({ spec }), unheard], alerts }).claimsSinceMs).toBe(nowMs);
  });

  it('for claims ends after fifteen minutes', () => {
    const policies = [input({ spec: dismissal }), unheard];
    const sentAfter = (ms: number) =>
      plan(planInput({ policies, waits: { ...noWaits, claimsSinceMs: nowMs - ms } })).actions.length;
    expect([15 * minuteMs - 1, 15 * minuteMs].map(sentAfter)).toEqual([0, 1]);
  });

  it('is as long on a clock that is ahead', () => {
    const waiting = { claimsSinceMs: 1000, ownerSinceMs: new Map([[key, 2000]]) };
    expect(shiftWaits(waiting, 500)).toEqual({ claimsSinceMs: 1500, ownerSinceMs: new Map([[key, 2500]]) });
    expect(shiftWaits(noWaits, 500)).toEqual(noWaits);
  });

  it('for the owner of an alert of an entry begins without a policy here', () => {
    const given = { policies: [theirs()], alerts: [off], ledger: [ledgerEntry()] };
    expect(waits(given).ownerSinceMs).toEqual(new Map([[key, nowMs]]));
  });
});

describe('after the turn of the owner', () => {
  it('the policy that acts here is one that competes, not an older one that observes', () => {
    const policies = [
      input({ name: 'observing', createdAt: '2024-01-01T00:00:00Z', spec: { mode: 'Observe' } }),
      input(),
      theirs(),
    ];
    expect(plan(planInput({ policies, alerts: [off], waits: late })).actions).toMatchObject([
      { policyKey: 'team/owners' },
    ]);
  });

  it('nothing is sent for a policy that does not compete', () => {
    const policies = [input({ spec: { suspend: true } })];
    expect(plan(planInput({ policies, alerts: [off], waits: late })).actions).toEqual([]);
  });
});
