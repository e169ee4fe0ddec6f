// Which alerts fire, in which order, and what is shown of them.
import { describe, expect, test } from 'vitest';

import { incidentsJson, incidentsText, revealKey } from '../../../../src/commands/report/incidents-text.ts';
import { firingAlerts } from '../../../../src/commands/report/incidents.ts';
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

describe('the order', () => {
  test('is by severity, an unknown one first, then by age', () => {
    const policies = [
      firing('low', [row({ severity: 'Low' })], -9 * hourMs),
      firing('high', [row()]),
      firing('older', [row()], -2 * hourMs),
      firing('medium', [row({ severity: 'Medium' })]),
      firing('new-kind', [row({ severity: 'Critical' })], -3 * hourMs),
    ];
    expect(firingAlerts(policies).map(({ policies: [name], severity }) => `${name} ${severity}`)).toEqual([
      'team/new-kind Unknown',
      'team/older High',
      'team/high High',
      'team/medium Medium',
      'team/low Low',
    ]);
  });

  test('leaves out alerts that are not active with incidents', () => {
    const alerts = (['Armed', 'Dismissed', 'Quiet', 'Missing'] as const).map((state) => row({ name: state, state }));
    expect(firingAlerts([firing('a', alerts), policy()])).toEqual([]);
  });
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

describe('the text', () => {
  const [only] = firingAlerts([firing('a', [row()], -26 * hourMs)]);
  const shown = only ? [only] : [];
  const options = { nowMs, columns: 0, isWide: false };

  test('names the policies, and with --output wide the ids', () => {
    expect(incidentsText(shown, options)).toBe(
      `SEVERITY   AGE   INCIDENTS   ALERT    SCOPE             POLICIES
High       1d    2           Owners   subscriptions/a   team/a
`,
    );
    expect(incidentsText(shown, { ...options, isWide: true })).toContain('team/a     a,b\n');
    expect(incidentsText([], options)).toBe('No incidents are open.\n');
    expect(incidentsText(shown, { ...options, columns: 20 }).split('\n')[1]).toHaveLength(20);
  });

  const details = { assigneeName: 'Ada "L"' };
  const incident = { alert: 'OWNERS', id: 'a', type: 'TooMany', details };
  const other = { alert: 'Others', id: 'z', type: 'TooMany', details: { assigneeName: 'Zoe' } };
  const revealed = new Map([[revealKey({ connection: 'team/prod', scope: 'subscriptions/a' }), [incident, other]]]);

  test('has what was revealed below its alert', () => {
    const text = incidentsText(shown, { ...options, revealed });
    expect(text.split('\n')[2]).toBe('  a  TooMany  assigneeName="Ada \\"L\\""');
    expect(text).not.toContain('Zoe');
  });

  test('and its JSON have no details of a scope that could not be listed, or without --reveal', () => {
    for (const none of [undefined, new Map<string, never>()]) {
      expect(incidentsText(shown, { ...options, revealed: none })).toBe(incidentsText(shown, options));
      expect(JSON.stringify(incidentsJson(shown, none))).not.toContain('details');
    }
    expect(incidentsJson(shown, revealed)).toMatchObject({
      apiVersion: 'cli.rolealerts.dev/v1',
      kind: 'IncidentList',
      items: [{ alert: 'Owners', total: 2, incidents: [{ id: 'a', type: 'TooMany', details }] }],
    });
  });
});
