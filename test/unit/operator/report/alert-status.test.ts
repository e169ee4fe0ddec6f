// The rows of a status and the counts over them.
import { describe, expect, it } from 'vitest';

import type { Alert } from '../../../../src/alerts/types.ts';
import type { AlertDecision } from '../../../../src/operator/decide/decisions.ts';
import type { Correction } from '../../../../src/operator/decide/writes.ts';
import { alertRows, stateOf, summarizeAlerts } from '../../../../src/operator/report/alert-status.ts';
import type { AlertStatus } from '../../../../src/policy/generated/role-alert-policy.ts';
import { alert, firing, nowMs, policy } from '../../../support/builders/objects.ts';

const isActive = { state: 'Active', source: 'Declared' } as const;
const isInactive = { state: 'Inactive', source: 'DismissalHolds' } as const;
const isGuarded = { state: 'Active', source: 'Unlisted' } as const;
const isNothing = { state: 'None', source: 'NotDeclared' } as const;
const decision = (name: string, change: Partial<AlertDecision> = {}): AlertDecision => ({
  name,
  want: isActive,
  alert: alert({ name }),
  result: 'InSync',
  ...change,
});
const rowsOf = (
  decisions: readonly AlertDecision[],
  before: readonly object[] = [],
  corrections: readonly Correction[] = [],
) => {
  const object = policy({ status: { observedGeneration: 1, alerts: before as AlertStatus[] } });
  return alertRows(decisions, { policy: object, corrections, nowMs });
};

it.each<[string, Alert | undefined, string]>([
  ['active with incidents', firing(['a']), 'Firing'],
  ['active without', alert(), 'Armed'],
  ['inactive with incidents', firing(['a'], { isActive: false }), 'Dismissed'],
  ['inactive without', alert({ isActive: false }), 'Quiet'],
  ['not listed', undefined, 'Missing'],
])('the state of an alert %s', (_, live, expected) => {
  expect(stateOf(live)).toBe(expected);
});

describe('a row', () => {
  it('says what was wanted, what is there and how it ended', () => {
    const live = firing(['a'], { name: 'A', isActive: false, severity: 'Medium', isScanned: false });
    expect(rowsOf([decision('A', { want: isInactive, alert: live })])).toStrictEqual([
      {
        name: 'A',
        want: 'Inactive',
        live: 'Inactive',
        state: 'Dismissed',
        result: 'InSync',
        severity: 'Medium',
        scanning: 'Disabled',
        incidents: expect.objectContaining({ total: 1 }),
      },
    ]);
  });

  it('of an alert that is not listed, or of which the service says little, has no more than that', () => {
    const bare = alert({ name: 'B', severity: undefined, isScanned: undefined });
    const [missing, little] = rowsOf([
      decision('A', { alert: undefined, result: 'Missing' }),
      decision('B', { alert: bare }),
    ]);
    expect(missing).toMatchObject({ live: 'Missing', state: 'Missing', scanning: 'Unknown', incidents: { total: 0 } });
    expect(little).toMatchObject({ live: 'Active', scanning: 'Unknown' });
    expect([missing, little].some((row) => 'severity' in row!)).toBe(false);
    const usual = rowsOf([decision('A')]);
    expect(usual).toMatchObject([{ severity: 'High' }]);
    expect(usual[0]).not.toHaveProperty('scanning');
  });

  it('keeps when it was last verified, and has the time of a correction of its own', () => {
    const before = [
      { name: 'A', verifiedAt: 'then' },
      { name: 'B', verifiedAt: 'then' },
    ];
    const corrected: Correction = {
      alert: 'B',
      isActive: true,
      cause: 'Declared',
      policyKey: undefined,
      actor: 'User',
      seenAtMs: nowMs,
    };
    const rows = rowsOf([decision('A'), decision('B'), decision('C')], before, [corrected]);
    expect(rows.map(({ verifiedAt }) => verifiedAt)).toEqual(['then', '2026-06-01T12:00:00Z', undefined]);
  });
});

describe('rows beyond 128', () => {
  const names = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  const guarded = (name: string) => decision(name, { want: isGuarded });

  it('leave out guarded alerts first, and keep the order', () => {
    const mixed = [...names(3, 'x').map(guarded), ...names(127, 'a').map((name) => decision(name))];
    const kept = rowsOf(mixed).map(({ name }) => name);
    expect(kept).toEqual(['x0', ...names(127, 'a')]);
  });

  it('leave out the last declared ones, and all guarded ones', () => {
    const mixed = [...names(2, 'x').map(guarded), ...names(130, 'a').map((name) => decision(name))];
    expect(rowsOf(mixed).map(({ name }) => name)).toEqual(names(128, 'a'));
  });
});

describe('an alert that the policy neither declares nor guards', () => {
  const unmanaged = decision('B', { want: isNothing, result: 'Unmanaged', alert: firing(['a'], { name: 'B' }) });

  it('has no row, and a row that an earlier status has of it ends', () => {
    const before = [{ name: 'B', want: 'None', verifiedAt: 'then', lastDrift: {}, incidents: { total: 1 } }];
    expect(rowsOf([decision('A'), unmanaged]).map(({ name }) => name)).toEqual(['A']);
    expect(rowsOf([decision('A'), unmanaged], before).map(({ name }) => name)).toEqual(['A']);
  });

  it('is counted', () => {
    expect(summarizeAlerts([decision('A'), unmanaged])).toMatchObject({ declared: 1, incidents: 0, unmanagedCount: 1 });
    expect(summarizeAlerts([decision('A')])).toMatchObject({ declared: 1, unmanagedCount: 0 });
  });
});

it('ids of incidents are shown of declared alerts, whatever is wanted of them, and not of guarded ones', () => {
  const fires = (name: string, want: AlertDecision['want']) =>
    decision(name, { want, alert: firing(['a', 'b'], { name }) });
  const ended = ['DismissalExpired', 'NewIncidents'] as const;
  const rows = rowsOf([
    fires('A', isActive),
    fires('B', isInactive),
    ...ended.map((source) => fires(source, { state: 'Active', source })),
    fires('G', isGuarded),
  ]);
  expect(rows.map(({ incidents }) => incidents.ids)).toEqual([
    ...Array.from({ length: 4 }, () => ['a', 'b']),
    undefined,
  ]);
  expect(rows.at(-1)?.incidents).toMatchObject({ total: 2, truncated: true });
});

it('the summary counts what the policy wants something of', () => {
  const off = (name: string) => alert({ name, isActive: false, incidentCount: 2 });
  const summary = summarizeAlerts([
    decision('in sync', { alert: firing(['a', 'b', 'c']) }),
    decision('dismissed', { want: isInactive, alert: off('dismissed') }),
    decision('dismissed, too', { want: isInactive, alert: off('dismissed, too') }),
    decision('dismissed as well', { want: isInactive, alert: off('dismissed as well') }),
    decision('drifted', { result: 'Drifted', alert: off('drifted') }),
    decision('denied', { want: isInactive, result: 'Denied' }),
    decision('missing', { result: 'Missing', alert: undefined }),
    decision('nothing to dismiss', { want: isInactive, alert: undefined }),
    decision('not ours', { want: isNothing, result: 'Unmanaged', alert: firing(['a']) }),
  ]);
  expect(summary).toEqual({
    declared: 8,
    inSync: 5,
    drifted: 2,
    missing: 2,
    dismissed: 3,
    incidents: 11,
    highIncidents: 11,
    unmanagedCount: 1,
    inSyncText: '5/8',
  });
});

it('the summary counts the incidents of severity High apart, an unknown severity among them', () => {
  const severities = ['High', 'high', 'Critical', undefined, 'Medium', 'Low'];
  const summary = summarizeAlerts([
    ...severities.map((severity, index) =>
      decision(`alert ${index}`, { alert: alert({ name: `alert ${index}`, severity, incidentCount: 10 ** index }) }),
    ),
    decision('not ours', {
      want: isNothing,
      result: 'Unmanaged',
      alert: alert({ severity: 'High', incidentCount: 7 }),
    }),
  ]);
  expect(summary).toMatchObject({ incidents: 111_111, highIncidents: 1111 });
});
