// Which alerts fire, in which order, and what is shown of them.
import { describe, expect, test } from 'vitest';

import { firingAlerts, incidentsSection } from '../../../../src/commands/report/incidents.ts';
import { reportData, reportText } from '../../../../src/commands/report/text.ts';
import type { AlertStatus } from '../../../../src/policy/generated/role-alert-policy.ts';
import { at, nowMs, policy, throughCluster } from '../../../support/builders/objects.ts';

const hourMs = 3_600_000;
const row = (change: Partial<AlertStatus> = {}): AlertStatus => ({
  name: 'Owners',
  want: 'Active',
  live: 'Active',
  state: 'Firing',
  result: 'InSync',
  severity: 'High',
  incidents: { total: 2, byType: [{ type: 'TooMany', count: 2 }], ids: ['a', 'b'] },
  ...change,
});

function firing(name: string, alerts: readonly AlertStatus[], sinceMs = -hourMs, spec: object = {}) {
  const open = { type: 'IncidentsOpen', status: 'True', reason: 'IncidentsFound', message: 'x.' } as const;
  const conditions = [{ ...open, lastTransitionTime: at(sinceMs) }];
  return policy({
    name,
    spec: { scope: `subscriptions/${name}`, ...spec },
    status: { observedGeneration: 1, conditions, alerts },
  });
}

const policies = [
  firing('low', [row({ severity: 'Low' })], -9 * hourMs),
  firing('high', [row()]),
  firing('older', [row()], -2 * hourMs),
  firing('medium', [row({ severity: 'Medium' })]),
  firing('new-kind', [row({ severity: 'Critical' })], -3 * hourMs),
];
const order = ['new-kind Unknown', 'older High', 'high High', 'medium Medium', 'low Low'];

test.each([
  ['Low', 5],
  ['Medium', 4],
  ['High', 3],
] as const)('from severity %s on, an unknown one comes first, then the older ones of each', (lowest, count) => {
  const shown = firingAlerts(policies, lowest).map(({ policies: [name], severity }) => `${name} ${severity}`);
  expect(shown).toEqual(order.slice(0, count).map((each) => `team/${each}`));
});

test('alerts that are not active with incidents are left out', () => {
  const alerts = (['Armed', 'Dismissed', 'Quiet', 'Missing'] as const).map((state) => row({ name: state, state }));
  expect(firingAlerts([firing('a', alerts), policy()])).toEqual([]);
});

test('an alert that several policies of a scope show is one entry, with the most that one of them shows', () => {
  const spec = { scope: 'subscriptions/a' };
  const small = row({ name: 'owners', incidents: { total: 1 } });
  const all = [firing('b', [small], -3 * hourMs, { scope: 'Subscriptions/A' }), firing('a', [row()], -hourMs, spec)];
  expect(firingAlerts(all)).toMatchObject([
    { policies: ['team/a', 'team/b'], total: 2, ids: ['a', 'b'], since: at(-3 * hourMs), connection: 'team/prod' },
  ]);
  const other = firing('c', [row()], 0, { ...spec, connectionRef: throughCluster });
  expect(firingAlerts([...all, other])).toHaveLength(2);
});

describe('the section', () => {
  const shown = firingAlerts([firing('a', [row()], -26 * hourMs), firing('b', [row({ severity: 'Critical' })])]);
  const reportOf = (...sections: ReturnType<typeof incidentsSection>[]) => ({ title: '', notes: [], sections });
  const textOf = (alerts: typeof shown, isWide = false) =>
    reportText(reportOf(incidentsSection(alerts, nowMs)), { columns: 0, isWide });

  test('names the policies, and with --output wide the ids', () => {
    expect(textOf(shown.slice(0, 1))).toBe(
      `SEVERITY   AGE   INCIDENTS   ALERT    SCOPE             POLICIES
High       1d    2           Owners   subscriptions/a   team/a
`,
    );
    expect(textOf(shown, true)).toContain('team/a     a,b\n');
    expect(textOf([])).toBe('No incidents are open.\n');
  });

  test('has a chart, in which an unknown severity counts as High', () => {
    expect(incidentsSection(shown, nowMs).charts?.[0]?.parts.map(({ name, count }) => [name, count])).toEqual([
      ['High', 4],
      ['Medium', 0],
      ['Low', 0],
    ]);
  });

  test('and its data have no details', () => {
    const data = reportData(reportOf(incidentsSection(shown, nowMs)));
    expect(data).toMatchObject({ kind: 'FleetStatus', incidents: [{ alert: 'Owners', total: 2 }, {}] });
    expect(JSON.stringify(data)).not.toContain('details');
  });
});
