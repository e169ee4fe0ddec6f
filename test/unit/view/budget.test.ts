// What `budget` shows: what connections need of their rate limits, now and after a change, and where the limits end.
import { describe, expect, test } from 'vitest';

import type { AnyConnection, RoleAlertPolicy } from '../../../src/policy/resources.ts';
import { budgetJson } from '../../../src/view/budget-json.ts';
import { budgetText } from '../../../src/view/budget-text.ts';
import { budgetNotes, type BudgetInput, budgetsOf, isWithinBudget } from '../../../src/view/budget.ts';
import { clusterConnection, connection, minuteMs, policy, throughCluster } from '../../support/builders/objects.ts';

/** Policies on scopes of their own. */
const scopes = (count: number, spec: Partial<RoleAlertPolicy['spec']> = {}, prefix = 's') =>
  Array.from({ length: count }, (_, index) =>
    policy({ name: `${prefix}${index}`, spec: { scope: `subscriptions/${prefix}${index}`, ...spec } }),
  );

const budgets = (
  policies: readonly RoleAlertPolicy[],
  change: Partial<BudgetInput> = {},
  connections: readonly AnyConnection[] = [connection()],
) => budgetsOf({ policies, connections, defaultMs: 15 * minuteMs, pages: 1, ...change });

function need(...args: Parameters<typeof budgets>) {
  const [budget] = budgets(...args);
  if (!budget) throw new Error('no budget');
  return budget.changed ?? budget.now;
}

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
      requestsPerHour: 20,
      isSufficient: true,
      restart: { requests: 3 },
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
    expect(need(policies).scopes).toBe(1);
  });

  test('raises intervals to limits.minInterval', () => {
    expect(need(scopes(1, { interval: '5s' })).loads).toEqual([{ intervalMs: minuteMs, requests: 1 }]);
    expect(need(scopes(1), { change: { intervalMs: 5000 } }).loads).toEqual([{ intervalMs: minuteMs, requests: 1 }]);
  });

  test('counts the pages of a list', () => {
    expect(need(scopes(10), { pages: 3 })).toMatchObject({ requestsPerHour: 120, restart: { requests: 30 } });
  });

  test('without policies is nothing', () => {
    expect(need([])).toMatchObject({ scopes: 0, requestsPerHour: 0, restart: { requests: 0, durationMs: 0 } });
  });

  test('of a cluster connection comes from its own policies', () => {
    const both = [...scopes(2), ...scopes(3, { connectionRef: throughCluster }, 'c')];
    const found = budgets(both, {}, [connection(), clusterConnection()]);
    expect(found.map(({ connection: key, now }) => [key, now.scopes])).toEqual([
      ['/prod', 3],
      ['team/prod', 2],
    ]);
  });
});

describe('a change', () => {
  test('of the interval is that of every scope', () => {
    const policies = [...scopes(2), ...scopes(1, { interval: '1h' }, 'x')];
    expect(need(policies, { change: { intervalMs: 30 * minuteMs } })).toMatchObject({ scopes: 3, requestsPerHour: 6 });
  });

  test('of the number of scopes uses the interval of most scopes', () => {
    const policies = [...scopes(1), ...scopes(2, { interval: '1h' }, 'x')];
    expect(need(policies, { change: { scopes: 100 } })).toMatchObject({
      scopes: 100,
      loads: [{ intervalMs: 60 * minuteMs, requests: 100 }],
    });
    expect(need([], { change: { scopes: 100 } }).loads).toEqual([{ intervalMs: 15 * minuteMs, requests: 100 }]);
  });

  test('of both uses both', () => {
    const change = { scopes: 5000, intervalMs: 5 * minuteMs };
    expect(need(scopes(1), { change })).toMatchObject({ requestsPerHour: 60_000, isSufficient: false });
  });
});

describe('the limit ends', () => {
  test('at a number of scopes for the interval', () => {
    expect(need(scopes(100)).room).toEqual({ scopes: 800, intervalMs: 15 * minuteMs });
    expect(need([], { change: { scopes: 900 } })).toMatchObject({ isSufficient: true, room: { scopes: 0 } });
    expect(need([], { change: { scopes: 901 } })).toMatchObject({ isSufficient: false, room: { scopes: 0 } });
  });

  test('at an interval for the number of scopes', () => {
    expect(need(scopes(100)).shortestMs).toBe(100_000 + 20_000);
    expect(need([], { change: { scopes: 5000 } }).shortestMs).toBe(84 * minuteMs);
    expect(need([], { change: { scopes: 90_000 } }).shortestMs).toBeUndefined();
  });

  test('nowhere below limits.minInterval', () => {
    expect(need(scopes(1)).shortestMs).toBe(minuteMs);
  });
});

test('the answer is no when a limit does not suffice, after the change if there is one', () => {
  expect(isWithinBudget(budgets(scopes(1)))).toBe(true);
  expect(isWithinBudget(budgets(scopes(1), { change: { scopes: 901 } }))).toBe(false);
  const crowded = budgets(scopes(901), { change: { intervalMs: 60 * minuteMs } });
  expect(isWithinBudget(crowded)).toBe(true);
});

describe('the text', () => {
  const textOf = (shown: ReturnType<typeof budgets>, columns = 0) => budgetText(shown, columns);

  test('compares now and then, and says where the limit ends', () => {
    expect(textOf(budgets(scopes(120), { change: { scopes: 5000, intervalMs: 5 * minuteMs } }))).toBe(
      `connection team/prod: 3600 requests an hour, burst 20
         SCOPES   INTERVAL   REQUESTS/H   OF LIMIT   RESTART                CAPACITY
  now    120      15m        480          14%        120 requests, 2m       sufficient
  then   5000     5m         60000        1667%      5000 requests, 1h24m   too small
  The limit does not suffice for 5000 scopes: at 1h24m or longer they fit, or raise limits.requestsPerHour.
`,
    );
  });

  test('says what else fits', () => {
    const policies = [...scopes(1), ...scopes(1, { interval: '1h' }, 'x')];
    expect(textOf(budgets(policies)).split('\n').slice(2)).toEqual([
      '  now   2        15m to 1h   5            1%         2 requests, 0s   sufficient',
      '  The limit suffices for 900 scopes at 15m, or for 2 scopes at 1m.',
      '',
    ]);
    expect(textOf(budgets([], {}, [clusterConnection()]))).toMatch(
      /^ClusterRoleAlertConnection prod: .*\n {2}The limit suffices for 900 scopes at 15m\.\n$/s,
    );
    expect(textOf(budgets([], { change: { scopes: 90_000 } }))).toContain(
      'for 90000 scopes: no interval up to 24h suffices, or raise limits.requestsPerHour.',
    );
  });

  test('says what the operator reports if that is another number', () => {
    const reporting = (predictedRequestsPerHour: number) => ({
      ...connection(),
      status: { observedGeneration: 1, conditions: [], predictedRequestsPerHour },
    });
    expect(textOf(budgets(scopes(1), {}, [reporting(4)]))).not.toContain('reports');
    expect(textOf(budgets(scopes(1), {}, [reporting(8)]))).toContain(
      '  The operator reports 8 requests an hour now: its lists have several pages (--pages), ',
    );
  });

  test('keeps within the width of a terminal, with whole sentences', () => {
    expect(textOf(budgets(scopes(120)), 60)).toBe(`connection team/prod: 3600 requests an hour, burst 20
        SCOPES   INTERVAL   REQUESTS/H   OF LIMIT   RESTART…
  now   120      15m        480          14%        120 req…
  The limit suffices for 900 scopes at 15m, or for 120
  scopes at 2m.
`);
  });

  test('says when there is no connection', () => {
    expect(textOf([])).toBe('No connections found.\n');
  });
});

describe('the notes', () => {
  test('name connections that were not read', () => {
    expect(budgetNotes({ policies: scopes(2), connections: [], isWhole: true })).toEqual([
      'Connection team/prod was not read, so its policies are not counted.',
    ]);
  });

  test('name cluster connections when other namespaces were not read', () => {
    const shared = { policies: [], connections: [connection(), clusterConnection()] };
    expect(budgetNotes({ ...shared, isWhole: true })).toEqual([]);
    expect(budgetNotes({ ...shared, isWhole: false })).toEqual([
      'ClusterRoleAlertConnection prod may have policies in other namespaces, which are not counted: use --all-namespaces.',
    ]);
  });
});

test('the JSON has a version', () => {
  expect(budgetJson(budgets(scopes(100), { change: { scopes: 90_000 } }))).toEqual({
    apiVersion: 'cli.rolealerts.dev/v1',
    kind: 'Budget',
    connections: [
      {
        connection: { kind: 'RoleAlertConnection', namespace: 'team', name: 'prod' },
        limits: { requestsPerHour: 3600, burst: 20, minInterval: '1m' },
        now: {
          scopes: 100,
          intervals: [{ interval: '15m', requests: 100 }],
          requestsPerHour: 400,
          capacity: 'Sufficient',
          restart: { requests: 100, seconds: 95 },
          room: { scopes: 800, interval: '15m' },
          shortestInterval: '2m',
        },
        changed: {
          scopes: 90_000,
          intervals: [{ interval: '15m', requests: 90_000 }],
          requestsPerHour: 360_000,
          capacity: 'TooSmall',
          restart: { requests: 90_000, seconds: 89_995 },
          room: { scopes: 0, interval: '15m' },
        },
      },
    ],
  });
});
