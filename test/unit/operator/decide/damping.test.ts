// The limits that hold a deactivation or a repetition back, and for how long: damping, the connection's hour, the
// capacity of the ledger, and alerts that keep being deactivated.
import { describe, expect, it } from 'vitest';

import type { PlanInput } from '../../../../src/operator/decide/decisions.ts';
import { plan } from '../../../../src/operator/decide/plan.ts';
import type { PolicyAlert } from '../../../../src/policy/generated/role-alert-policy.ts';
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
} from '../../../support/builders/objects.ts';

const hourMs = 60 * minuteMs;
const key = alertName.toLowerCase();

/** A dismissing policy that was decided. */
const dismissing = (change: Parameters<typeof input>[0] = {}) =>
  input({ spec: { alerts: [inactive({ maxIncidents: 5 })] }, status: { observedGeneration: 1 }, ...change });

/** Deactivations of the alert through the connection, so many hours ago, the oldest first. */
const sent = (...hoursAgo: readonly number[]) => new Map([[key, hoursAgo.map((hours) => nowMs - hours * hourMs)]]);

const after = (...hoursAgo: readonly number[]) => ({ recentDeactivations: sent(...hoursAgo) });

function decided(change: Partial<PlanInput>): string {
  const { actions, policies, nextChangeMs } = plan(planInput(change));
  const { result, reason } = policies[0]?.alerts[0] ?? {};
  const wakes = nextChangeMs === undefined ? '' : ` in ${Math.round((nextChangeMs - nowMs) / minuteMs)} min`;
  return `${result}${reason ? `/${reason}` : ''}, ${actions.length} PATCH${wakes}`;
}

const refusal = { kind: 'Refused', serviceCode: undefined, retryAtMs: nowMs - 1 } as const;

describe('damping', () => {
  const policies = [dismissing()];
  const wide = { alerts: [inactive({ maxIncidents: 5 })], damping: { maxDeactivations: 1, window: '168h' } };
  it.each<[string, Partial<PlanInput>, string]>([
    ['lets the third one within six hours through', after(2, 1), 'Drifted, 1 PATCH in 0 min'],
    ['holds the fourth until the first leaves', after(5, 2, 1), 'Held/Flapping, 0 PATCH in 60 min'],
    ['counts any six hours, not fixed ones', after(7, 5, 1), 'Drifted, 1 PATCH in 0 min'],
    ['holds until enough have left', after(5, 4, 2, 1), 'Held/Flapping, 0 PATCH in 120 min'],
    [
      'has the window of the policy',
      { policies: [dismissing({ spec: wide })], recentDeactivations: sent(100) },
      'Held/Flapping, 0 PATCH in 4080 min',
    ],
    [
      'shows a refusal of the last one instead',
      {
        recentDeactivations: sent(3, 2, 1),
        sent: new Map([[key, pendingWrite({ isActive: false, cause: 'DismissalHolds', failure: refusal })]]),
      },
      'Failed/CorrectionFailed, 0 PATCH in 180 min',
    ],
  ])('%s', (_, change, expected) => {
    expect(decided({ policies, alerts: [alert()], ...change })).toBe(expected);
  });
});

describe('a connection that namespaces share', () => {
  const named = (name: string) => ({ ...inactive({ maxIncidents: 5 }), name });
  const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];
  const actionsOf = (deactivationsLeft: number, byNamespace: ReadonlyMap<string, number> | undefined) =>
    plan(
      planInput({
        policies: [input({ spec: { alerts: names.map(named) }, status: { observedGeneration: 1 } })],
        alerts: names.map((name) => alert({ name })),
        deactivationsLeft,
        deactivationsByNamespace: byNamespace,
      }),
    ).actions.length;

  it.each([
    ['leaves to the others as many as it uses', 8, new Map(), 4],
    ['counts what it used before', 6, new Map([['team', 2]]), 2],
    ['has nothing left once it used half', 4, new Map([['team', 4]]), 0],
  ] as const)('a namespace %s', (_, left, byNamespace, expected) => {
    expect(actionsOf(left, byNamespace)).toBe(expected);
  });
});

describe("the connection's deactivations of an hour", () => {
  const two = input({
    spec: { alerts: [inactive({ maxIncidents: 5 }), { ...inactive({ maxIncidents: 5 }), name: 'Other' }] },
  });
  const alerts = [alert({ isActive: true }), alert({ name: 'Other', isActive: true })];
  it('lets as many through as are left, and holds the others until the oldest is an hour old', () => {
    const { actions, policies, nextChangeMs } = plan(
      planInput({ policies: [two], alerts, deactivationsLeft: 1, nextDeactivationMs: nowMs + 20 * minuteMs }),
    );
    expect(actions.map(({ alert: name }) => name)).toEqual(['Other']);
    expect(policies[0]?.alerts.map(({ result, reason }) => `${result}/${reason}`)).toEqual([
      'Drifted/undefined',
      'Held/DeactivationLimited',
    ]);
    expect(nextChangeMs).toBeLessThanOrEqual(nowMs + 20 * minuteMs);
  });
});

it.each([
  [2, undefined],
  [3, true],
])('an activation is marked as undone from the third in a row on: after %i %s', (count, isUndone) => {
  const activationBackoffs = new Map([[key, { count, lastMs: nowMs - intervalMs }]]);
  expect(plan(planInput({ alerts: [alert()], activationBackoffs })).policies[0]?.alerts[0]?.isUndone).toBe(isUndone);
});

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
    ['an alert that others deactivated', { policies: declared(off('A')), alerts: alerts(false) }, ['-B']],
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

describe('room in the ledger', () => {
  const alerts = ['A', 'B', 'C'].map((name) => alert({ name }));
  const dismissing = (name: string, ...names: string[]) => input({ name, spec: { alerts: names.map(off) } });
  const given = { alerts, policies: [dismissing('off', 'A', 'B', 'C')], deactivationsLeft: 9 };

  it('is not needed for alerts that the ledger has already, and is left to the others', () => {
    const ledger = [ledgerEntry({ alert: 'b' })];
    expect(sends({ ...given, ledger, ledgerRoom: 0 })).toEqual(['-B']);
    expect(sends({ ...given, ledger, ledgerRoom: 1 })).toEqual(['-A', '-B']);
  });

  it('is taken once by two policies that dismiss the same alert, and both say the same', () => {
    const policies = [dismissing('a', 'A'), dismissing('b', 'A')];
    for (const both of [policies, policies.toReversed()]) {
      const planned = plan(planInput({ ...given, policies: both, ledgerRoom: 1 }));
      expect(planned.policies.flatMap(({ alerts: rows }) => rows.map(({ reason }) => reason))).toEqual(Array(6));
      expect(planned.actions).toHaveLength(1);
    }
  });
});
