// What the section `budget` shows: what connections need of their rate limits.
import { describe, expect, test } from 'vitest';

import { budgetSection, budgetsOf, isWithinBudget } from '../../../../src/commands/report/budget.ts';
import { reportText } from '../../../../src/commands/report/text.ts';
import type { AnyConnection, RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { clusterConnection, connection, minuteMs, policy, throughCluster } from '../../../support/builders/objects.ts';

/** Policies on scopes of their own. */
const scopes = (count: number, spec: Partial<RoleAlertPolicy['spec']> = {}, prefix = 's') =>
  Array.from({ length: count }, (_, index) =>
    policy({ name: `${prefix}${index}`, spec: { scope: `subscriptions/${prefix}${index}`, ...spec } }),
  );

const budgets = (policies: readonly RoleAlertPolicy[], connections: readonly AnyConnection[] = [connection()]) =>
  budgetsOf({ policies, connections, defaultMs: 15 * minuteMs });
const need = (policies: readonly RoleAlertPolicy[]) => budgets(policies)[0];

describe('the need of a connection', () => {
  test('counts a scope once, at the shortest interval of its policies', () => {
    const shared = { scope: 'Subscriptions/A', interval: '5m' };
    const policies = [policy({ name: 'a' }), policy({ name: 'b', spec: shared }), ...scopes(2)];
    expect(need(policies)).toMatchObject({
      scopes: 3,
      loads: [
        { intervalMs: 5 * minuteMs, requests: 1 },
        { intervalMs: 15 * minuteMs, requests: 2 },
      ],
      capacity: { status: 'True', facts: { needed: 20 } },
    });
  });

  test('leaves out a suspension without end and a policy without access', () => {
    const denied = {
      type: 'Stalled',
      status: 'True',
      reason: 'AccessDenied',
      message: '',
      lastTransitionTime: '',
    } as const;
    const policies = [
      ...scopes(1),
      policy({ name: 'suspended', spec: { scope: 'subscriptions/x', suspend: true } }),
      policy({
        name: 'denied',
        spec: { scope: 'subscriptions/y' },
        status: { observedGeneration: 1, conditions: [denied] },
      }),
    ];
    expect(need(policies)?.scopes).toBe(1);
  });

  test('raises intervals to limits.minInterval', () => {
    expect(need(scopes(1, { interval: '5s' }))?.loads).toEqual([{ intervalMs: minuteMs, requests: 1 }]);
  });

  test('without policies is nothing', () => {
    expect(need([])).toMatchObject({ scopes: 0, loads: [], capacity: { facts: { needed: 0 } } });
  });

  test('of a cluster connection comes from its own policies', () => {
    const both = [...scopes(2), ...scopes(3, { connectionRef: throughCluster }, 'c')];
    const found = budgets(both, [connection(), clusterConnection()]);
    expect(found.map(({ connection: key, scopes: count }) => [key, count])).toEqual([
      ['/prod', 3],
      ['team/prod', 2],
    ]);
  });
});

test('the answer is no when a limit does not suffice', () => {
  expect(isWithinBudget(budgets(scopes(900)))).toBe(true);
  expect(isWithinBudget(budgets(scopes(901)))).toBe(false);
});

const sectionOf = (
  policies: readonly RoleAlertPolicy[],
  connections: readonly AnyConnection[] = [connection()],
  isWhole = true,
) => budgetSection({ policies, connections, defaultMs: 15 * minuteMs, isWhole });
const reportOf = (...args: Parameters<typeof sectionOf>) => ({ title: '', notes: [], sections: [sectionOf(...args)] });

describe('the text', () => {
  const textOf = (...args: Parameters<typeof sectionOf>) =>
    reportText(reportOf(...args), { columns: 0, isWide: false });

  test.each([
    [
      120,
      '120      15m        The policies need 480 requests an hour while nothing drifts, and limits.requestsPerHour allows 3600.',
    ],
    [
      1200,
      '1200     15m        Connection team/prod: its policies need 4800 requests an hour while nothing drifts, and limits.requestsPerHour allows 3600, so scopes are listed too late. Raise limits.requestsPerHour to 4800 or more, or limits.minInterval to 20m.',
    ],
  ])('has the sentence of the condition for %i scopes', (count, line) => {
    expect(textOf(scopes(count))).toBe(
      `CONNECTION             SCOPES   INTERVAL   CAPACITY\nconnection team/prod   ${line}\n`,
    );
  });

  test('has the range of several intervals, and none without scopes', () => {
    const policies = [...scopes(1), ...scopes(1, { interval: '1h' }, 'x')];
    expect(sectionOf(policies).rows[0]?.cells.slice(1, 3)).toEqual([2, '15m to 1h']);
    expect(sectionOf([]).rows[0]?.cells.slice(1, 3)).toEqual([0, '']);
    expect(textOf([], [])).toBe('There are no connections.\n');
  });
});

describe('the notes', () => {
  test('say what the operator reports if that is another number', () => {
    const reporting = (predictedRequestsPerHour: number) => ({
      ...connection(),
      status: { observedGeneration: 1, conditions: [], predictedRequestsPerHour },
    });
    expect(sectionOf(scopes(1), [reporting(4)]).notes).toEqual([]);
    expect(sectionOf(scopes(1), [reporting(8)]).notes).toEqual([
      expect.stringContaining('The operator reports 8 requests an hour of connection team/prod now: its lists have'),
    ]);
  });

  test('name connections that were not read', () => {
    expect(sectionOf(scopes(2), []).notes).toEqual([
      'Connection team/prod was not read, so its policies are not counted.',
    ]);
  });

  test('name cluster connections when other namespaces were not read', () => {
    const shared = [connection(), clusterConnection()];
    expect(sectionOf([], shared).notes).toEqual([]);
    expect(sectionOf([], shared, false).notes).toEqual([
      'ClusterRoleAlertConnection prod may have policies in other namespaces, which are not counted: use --all-namespaces.',
    ]);
  });
});
