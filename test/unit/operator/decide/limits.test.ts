// Only deactivations that are sent count against the capacity of the ledger and the hourly limit.
import { describe, expect, it } from 'vitest';

import type { PlanInput } from '../../../../src/operator/decide/decisions.ts';
import { plan } from '../../../../src/operator/decide/plan.ts';
import type { PolicyAlert } from '../../../../src/policy/generated/role-alert-policy.ts';
import { alert, inactive, input, nowMs, planInput, pendingWrite } from '../../../support/builders/objects.ts';

const on = (name: string): PolicyAlert => ({ name, state: 'Active' });
const off = (name: string): PolicyAlert => ({ ...inactive({ maxIncidents: 9 }), name });
const one = { ledgerRoom: 1, deactivationsLeft: 1 };
/** `+NAME` or `-NAME` of each action, where only one more alert may be deactivated. */
const sends = (change: Partial<PlanInput>) =>
  plan(planInput({ ...one, ...change })).actions.map(({ alert: name, isActive }) => `${isActive ? '+' : '-'}${name}`);

describe('the last place is not taken by', () => {
  const declared = (a: PolicyAlert) => [input({ spec: { alerts: [a, off('B')] } })];
  const alerts = (isActive: boolean) => [alert({ name: 'A', isActive }), alert({ name: 'B' })];

  it.each<[string, Partial<PlanInput>, string[]]>([
    ['an activation', { policies: declared(on('A')), alerts: alerts(false) }, ['+A', '-B']],
    ['an alert that is active as declared', { policies: declared(on('A')), alerts: alerts(true) }, ['-B']],
    ['an alert that others deactivated', { policies: declared(off('A')), alerts: alerts(false) }, ['-B']],
    [
      'a deactivation that is only observed',
      {
        policies: [
          input({ name: 'observing', spec: { mode: 'Observe', alerts: [off('A')] } }),
          input({ spec: { alerts: [off('B')] } }),
        ],
        alerts: alerts(true),
      },
      ['-B'],
    ],
  ])('%s', (_, change, expected) => {
    expect(sends(change)).toEqual(expected);
  });

  it('a deactivation of before, in the hour: it takes room in the ledger', () => {
    const sent = new Map([['a', pendingWrite({ isActive: false, sentAtMs: nowMs - 1000, cause: 'DismissalHolds' })]]);
    const given = { policies: declared(off('A')), alerts: alerts(true), sent };
    expect(sends({ ...given, ledgerRoom: 2 })).toEqual(['-B']);
    expect(sends({ ...given, deactivationsLeft: 2 })).toEqual([]);
  });
});

it('the last deactivation of the hour is taken by one alert, and the others wait', () => {
  const policies = [input({ spec: { alerts: [off('A'), off('B')] } })];
  const alerts = [alert({ name: 'A' }), alert({ name: 'B' })];
  expect(sends({ policies, alerts, ledgerRoom: 9 })).toEqual(['-A']);
});

it('the last deactivation of the hour is for the alert whose last one is the longest ago, so that no quarrel delays the others', () => {
  const policies = [input({ spec: { alerts: [off('A'), off('B')] } })];
  const given = { policies, alerts: [alert({ name: 'A' }), alert({ name: 'B' })], ledgerRoom: 9 };
  const taken = (times: Record<string, readonly number[]>) =>
    sends({ ...given, recentDeactivations: new Map(Object.entries(times)) });
  expect(taken({ a: [nowMs - 9000] })).toEqual(['-B']);
  expect(taken({ a: [nowMs - 9000, nowMs - 4000], b: [nowMs - 8000] })).toEqual(['-B']);
  expect(taken({ a: [nowMs - 9000, nowMs - 6000], b: [nowMs - 8000, nowMs - 2000] })).toEqual(['-A']);
});

it('an activation needs neither room nor a deactivation of the hour', () => {
  expect(sends({ alerts: [alert({ isActive: false })], ledgerRoom: 0, deactivationsLeft: 0 })).toHaveLength(1);
});
