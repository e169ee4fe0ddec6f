// Whether a rate limit suffices: the condition Capacity, and the load of one scope.
import { describe, expect, test } from 'vitest';

import { conditionMessage } from '../../../../src/operator/reasons/reasons.ts';
import { capacityOf, type Load, scopeLoad } from '../../../../src/operator/report/capacity.ts';
import type { RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { at, connection, minuteMs, policy } from '../../../support/builders/objects.ts';

const hourMs = 60 * minuteMs;
const load = (minutes: number, requests: number): Load => ({ intervalMs: minutes * minuteMs, requests });

test.each<[number, readonly Load[]]>([
  [2000, [load(15, 500)]],
  [2100, [load(15, 500), load(60, 100)]],
  [9, [load(7, 1)]],
  [0, []],
])('the requests of a connection are those of each interval together, rounded up: %i', (needed, loads) => {
  expect(capacityOf(loads, 1).facts.needed).toBe(needed);
});

test.each<[string, readonly Load[], number, string]>([
  ['spreads the requests over whole minutes', [load(15, 2000)], 7200, '17m'],
  ['is exact where the minute is', [load(1, 60)], 60, '1h'],
  ['below a minute has whole seconds', [load(0.1, 10)], 1000, '36s'],
  ['is a second at least', [load(0.001, 1)], 3600, '1s'],
  ['is a minute where 59 seconds do not suffice', [load(0.1, 1)], 60, '1m'],
  ['is two minutes where one does not suffice', [load(0.1, 1)], 59, '2m'],
  ['leaves longer intervals as they are', [load(1, 10), load(60, 10)], 310, '2m'],
  ['raises as many of them as necessary', [load(1, 10), load(10, 10)], 60, '20m'],
  ['is at most a day', [load(15, 24)], 1, '24h'],
  ['is none where a day does not suffice', [load(15, 25)], 1, 'none'],
])('the interval that fits %s', (_what, loads, requestsPerHour, fittingInterval) => {
  expect(capacityOf(loads, requestsPerHour).facts).toMatchObject({ fittingInterval });
});

describe('the condition Capacity', () => {
  test('is True as long as the rate limit suffices', () => {
    const facts = { needed: 2000, allowed: 2000 };
    expect(capacityOf([load(15, 500)], 2000)).toEqual({ status: 'True', reason: 'BudgetSufficient', facts });
  });

  test('names what is needed and allowed, and both ways out', () => {
    const { status, reason, facts } = capacityOf([load(15, 501)], 2000);
    expect([status, conditionMessage('BudgetTooSmall', { ...facts, connection: 'team/prod' })]).toEqual([
      'False',
      'Connection team/prod: its policies need 2004 requests an hour while nothing drifts, and limits.requestsPerHour allows 2000, so scopes are listed too late. Raise limits.requestsPerHour to 2004 or more, or limits.minInterval to 16m.',
    ]);
    expect(reason).toBe('BudgetTooSmall');
  });

  test('offers no interval where none fits', () => {
    const { facts } = capacityOf([load(15, 25)], 1);
    expect(conditionMessage('BudgetTooSmall', facts)).toContain('to 100 or more; no interval up to 24h suffices.');
  });
});

describe('the load of a scope', () => {
  const of = (...specs: readonly Partial<RoleAlertPolicy['spec']>[]) =>
    scopeLoad(
      specs.map((spec) => policy({ spec })),
      connection(),
      { defaultMs: hourMs, pages: 3 },
    );

  test('is one list at the shortest interval of its policies', () => {
    expect(of({ interval: '30m' }, {}, { interval: '2h' })).toMatchObject(load(30, 3));
    expect(of({})).toMatchObject(load(60, 3));
    expect(of({ interval: '5s' })).toMatchObject(load(1, 3));
  });

  test('is nothing while every policy is suspended without an end', () => {
    expect(of({ suspend: true })).toBeUndefined();
    expect(of({ suspend: true, interval: '30m' }, {})).toMatchObject(load(60, 3));
    expect(of({ suspend: true, suspendUntil: at(hourMs) })).toMatchObject(load(60, 3));
  });

  test('is that of the same namespace, whichever policy is known first', () => {
    const policies = ['b', 'a'].map((namespace) => policy({ metadata: { namespace }, spec: {} }));
    for (const each of [policies, policies.toReversed()])
      expect(scopeLoad(each, connection(), { defaultMs: hourMs, pages: 1 })).toMatchObject({ namespace: 'a' });
  });
});
