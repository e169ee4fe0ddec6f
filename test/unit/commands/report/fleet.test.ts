// What `status` shows of a fleet, and in which order.
import { describe, expect, test } from 'vitest';

import { type Fleet, type FleetInput, fleetOf } from '../../../../src/commands/report/fleet.ts';
import { fleetReport } from '../../../../src/commands/report/sections.ts';
import { reportData, reportText } from '../../../../src/commands/report/text.ts';
import type { AnyConnection, RoleAlertConnection, RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import {
  at,
  clusterConnection,
  connection,
  inactive,
  ledgerEntry,
  nowMs,
  policy,
  throughCluster,
} from '../../../support/builders/objects.ts';
import { pageReportInput } from '../../../support/builders/page-fleet.ts';

const dayMs = 24 * 3_600_000;

function condition(type: string, status: 'True' | 'False' | 'Unknown', reason: string) {
  return { type, status, reason, message: `${reason} of ${type}.`, lastTransitionTime: at(0), observedGeneration: 1 };
}

type Summary = NonNullable<NonNullable<RoleAlertPolicy['status']>['summary']>;

function decided(
  name: string,
  conditions: readonly ReturnType<typeof condition>[],
  summary: Partial<Summary> = {},
): RoleAlertPolicy {
  const counts = {
    declared: 2,
    inSync: 2,
    drifted: 0,
    missing: 0,
    dismissed: 0,
    incidents: 0,
    inSyncText: '2/2',
    ...summary,
  };
  return policy({ name, status: { observedGeneration: 1, conditions, summary: counts } });
}

const ready = condition('Ready', 'True', 'Succeeded');
const healthy = (name: string) => decided(name, [ready, condition('InSync', 'True', 'InSync')]);

function connected(status: Partial<NonNullable<RoleAlertConnection['status']>> = {}): RoleAlertConnection {
  const conditions = [condition('Ready', 'True', 'Connected'), condition('Capacity', 'True', 'Sufficient')];
  return {
    ...connection(),
    status: { observedGeneration: 1, conditions, policies: 3, predictedRequestsPerHour: 68, ...status },
  };
}

const input = (policies: readonly RoleAlertPolicy[], connections: readonly AnyConnection[] = []) => ({
  policies,
  connections,
  nowMs,
});
const fleet = (policies: readonly RoleAlertPolicy[], connections: readonly AnyConnection[] = []) =>
  fleetOf(input(policies, connections));
const report = (given: FleetInput, isWide = true) =>
  fleetReport(pageReportInput(given), isWide ? ['attention', 'policies', 'connections'] : ['attention']);
const textOf = (given: FleetInput, columns = 0, isWide = false) =>
  reportText(report(given, isWide), { columns, isWide });
const kindsOf = ({ findings }: Fleet) => findings.map(({ kind, object }) => `${kind} ${object}`);

describe('findings', () => {
  test('come with what breaks many policies first, then the worst, whatever the order of the objects', () => {
    const policies = [
      policy({ name: 'waiting' }),
      decided('firing', [ready, condition('IncidentsOpen', 'True', 'IncidentsOpen')], { incidents: 9 }),
      decided('firing-high', [ready, condition('IncidentsOpen', 'True', 'IncidentsOpen')], {
        incidents: 1,
        highIncidents: 1,
      }),
      decided('drifted', [ready, condition('InSync', 'False', 'ObserveOnly')], { drifted: 1 }),
      decided('not-ready', [condition('Ready', 'False', 'CorrectionFailed')]),
      decided('stalled', [condition('Ready', 'False', 'Flapping'), condition('Stalled', 'True', 'Flapping')]),
    ];
    const broken = connected({
      conditions: [condition('Ready', 'False', 'Unauthorized'), condition('Capacity', 'False', 'BudgetTooSmall')],
    });
    expect(kindsOf(fleet(policies, [broken]))).toEqual([
      'Connection connection team/prod',
      'Capacity connection team/prod',
      'Stalled policy team/stalled',
      'NotReady policy team/not-ready',
      'Drifted policy team/drifted',
      'Firing policy team/firing-high',
      'Firing policy team/firing',
      'Waiting policy team/waiting',
    ]);
  });

  test('count the open incidents of a policy, without those of dismissed alerts', () => {
    const row = (name: string, state: 'Firing' | 'Dismissed', severity: string, total: number) =>
      ({ name, state, severity, want: 'Active', live: 'Active', result: 'InSync', incidents: { total } }) as const;
    const conditions = [ready, { ...condition('IncidentsOpen', 'True', 'IncidentsFound'), message: 'Alerts A, B.' }];
    const alerts = [row('A', 'Firing', 'High', 2), row('B', 'Firing', 'Low', 1), row('C', 'Dismissed', 'High', 4)];
    const open = policy({ name: 'a', status: { observedGeneration: 1, conditions, alerts } });
    const message = '3 incidents, 2 of severity High. Alerts A, B.';
    expect(reportData(report(input([open])))).toMatchObject({
      findings: [{ kind: 'Firing', object: 'policy team/a', reason: 'IncidentsFound', message, incidents: 3 }],
    });
  });

  test('name a suspension without an end with its age, the oldest first, and none that ends by itself', () => {
    const suspended = (name: string, days: number, end: object = {}) => {
      // One of the two may have had its status before.
      const changedAt = { new: [days, 60], old: [60, days] }[name] ?? [days, days];
      const [ready, inSync] = changedAt.map((ago) => ({ lastTransitionTime: at(-ago * dayMs) }));
      const conditions = [
        { ...condition('Ready', 'True', 'Suspended'), ...ready },
        { ...condition('InSync', 'Unknown', 'Suspended'), ...inSync },
      ];
      const { status } = decided(name, conditions, { drifted: 1 });
      return policy({ name, spec: { suspend: true, ...end }, ...(status && { status }) });
    };
    const { findings } = fleet([
      suspended('new', 1),
      suspended('old', 12),
      suspended('ends', 20, { suspendUntil: at(dayMs) }),
    ]);
    expect(findings).toMatchObject([
      { kind: 'Suspended', object: 'policy team/old', reason: 'Suspended' },
      {
        kind: 'Suspended',
        object: 'policy team/new',
        message: 'Without an end. Suspended of Ready.',
        since: at(-dayMs),
      },
    ]);
  });

  test('name dismissals that end within seven days, the next one first, and none without an end', () => {
    const record = (alert: string, until?: string) => ({
      scope: 'subscriptions/a',
      alert,
      policy: 'team/a',
      since: at(-dayMs),
      ...(until !== undefined && { until }),
    });
    const dismissals = [
      record('Later', at(6 * dayMs)),
      record('Next', at(dayMs)),
      record('Far', at(7 * dayMs + 1000)),
      record('Unbounded'),
    ];
    const { findings } = fleet([], [connected({ dismissals })]);
    expect(findings.map(({ message }) => message)).toEqual([
      expect.stringContaining('the dismissal of Next on subscriptions/a by team/a ends at'),
      expect.stringContaining('the dismissal of Later'),
    ]);
  });
});

describe('of what is not ready', () => {
  const notReady = (policies: readonly RoleAlertPolicy[], connections: readonly AnyConnection[] = []) =>
    fleetOf({ ...input(policies, connections), notReady: true });

  test('are connections and policies that fail or wait, and no other finding', () => {
    const firing = [
      condition('Ready', 'False', 'CorrectionFailed'),
      condition('IncidentsOpen', 'True', 'IncidentsFound'),
    ];
    const policies = [
      healthy('ready'),
      decided('drifted', [ready, condition('InSync', 'False', 'ObserveOnly')], { drifted: 1 }),
      decided('failing', firing, { incidents: 1 }),
      decided('stalled', [condition('Ready', 'False', 'Flapping'), condition('Stalled', 'True', 'Flapping')]),
      policy({ name: 'waiting' }),
    ];
    const broken = connected({
      conditions: [condition('Ready', 'False', 'Unauthorized'), condition('Capacity', 'False', 'BudgetTooSmall')],
      dismissals: [{ ...ledgerEntry(), until: at(dayMs) }],
    });
    const shown = notReady(policies, [broken, clusterConnection()]);
    expect(kindsOf(shown)).toEqual([
      'Connection connection team/prod',
      'Stalled policy team/stalled',
      'NotReady policy team/failing',
      'Waiting policy team/waiting',
    ]);
    expect(shown.policies.map(({ name }) => name)).toEqual(['failing', 'stalled', 'waiting']);
    expect(shown.connections.map(({ kind }) => kind)).toEqual(['RoleAlertConnection']);
    expect(shown.totals).toMatchObject({ policies: 5, connections: 2 });
  });

  test('are none when everything is ready, and the report says that', () => {
    const everything = { ...input([healthy('a')], [connected()]), notReady: true };
    expect(textOf(everything)).toContain('Every policy is ready, and every connection in use.');
    expect(
      report(everything)
        .sections.slice(2)
        .map(({ nothing }) => nothing),
    ).toEqual(['Every policy is ready.', 'Every connection in use is ready.']);
  });
});

test('dismissals that began before the operator count as those that it made, with a mark', () => {
  const declared = inactive({ until: at(dayMs) });
  const row = { name: declared.name, want: 'Inactive', live: 'Inactive', state: 'Quiet', result: 'InSync' } as const;
  const alerts = [{ ...row, incidents: { total: 0 } }];
  const adopted = policy({ spec: { alerts: [declared] }, status: { observedGeneration: 1, alerts } });
  const own = { ...ledgerEntry({ alert: 'Own' }), until: at(2 * dayMs) };
  const given = input([adopted], [connected({ dismissals: [own], dismissalCount: 1 })]);
  const shown = fleetOf(given);
  expect(shown.connections).toMatchObject([{ dismissals: 2 }]);
  expect(shown.findings.filter(({ kind }) => kind === 'DismissalEnds').map(({ message }) => message)).toEqual([
    expect.stringMatching(
      /^the dismissal of \S+ on subscriptions\/a by team\/owners ends at \S+; in mode Enforce the operator then activates the alert, which another client deactivated\.$/,
    ),
    expect.stringMatching(/^the dismissal of Own on .*; the alert then becomes active\.$/),
  ]);
  const [section] = fleetReport(pageReportInput(given), ['dismissals']).sections;
  expect(section?.rows.map(({ cells }) => [cells[0], cells[6]])).toEqual([
    [declared.name, 'another client'],
    ['Own', 'the operator'],
  ]);
  expect(section?.data).toMatchObject({
    dismissals: [
      { alert: declared.name, connection: 'connection team/prod', deactivatedBy: 'Other' },
      { alert: 'Own', since: own.since, deactivatedBy: 'Operator' },
    ],
  });
});

test('an end of a dismissal names no other client while its connection was not read', () => {
  const declared = inactive({ until: at(dayMs) });
  const row = { name: declared.name, want: 'Inactive', live: 'Inactive', state: 'Quiet', result: 'InSync' } as const;
  const alerts = [{ ...row, incidents: { total: 0 } }];
  const dismissing = policy({ spec: { alerts: [declared] }, status: { observedGeneration: 1, alerts } });
  expect(fleet([dismissing]).findings.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^the dismissal of .*; in mode Enforce the operator then activates the alert\.$/),
  );
});

test('totals add up the summaries, and count a suspended policy and one without a status as not ready', () => {
  const policies = [
    decided('a', [ready], { declared: 3, inSync: 1, drifted: 1, missing: 1, incidents: 4, highIncidents: 2 }),
    decided('b', [condition('Ready', 'True', 'Suspended')], { dismissed: 1 }),
    policy({ name: 'c' }),
  ];
  expect(fleet(policies, [connected()]).totals).toEqual({
    policies: 3,
    ready: 1,
    stalled: 0,
    suspended: 1,
    declared: 5,
    inSync: 3,
    drifted: 1,
    missing: 1,
    dismissed: 1,
    incidents: 4,
    highIncidents: 2,
    connections: 1,
    connectionsReady: 1,
    predictedRequestsPerHour: 68,
    allowedRequestsPerHour: 3600,
  });
});

test('a connection of the cluster is shown with its kind, and its budget counts', () => {
  const { status } = connected({
    conditions: [condition('Ready', 'False', 'Unauthorized')],
    predictedRequestsPerHour: 100,
    dismissals: [ledgerEntry(), ledgerEntry({ alert: 'Guests' })],
  });
  const given = input(
    [policy({ name: 'a', spec: { connectionRef: throughCluster } })],
    [connected(), { ...clusterConnection(), ...(status && { status }) }],
  );
  const shown = fleetOf(given);
  expect(kindsOf(shown)).toEqual(['Connection ClusterRoleAlertConnection prod', 'Waiting policy team/a']);
  expect(shown.totals).toMatchObject({ predictedRequestsPerHour: 168, allowedRequestsPerHour: 7200 });
  const lines = textOf(given, 0, true).split('\n');
  expect(lines).toContain('Requests an hour   168   of 7200 that the connections allow');
  const wide = lines.map((line) => line.replaceAll(/ {2,}/g, ' '));
  expect(wide).toContain('team a Unknown Pending Enforce 0 subscriptions/a crac/prod');
  expect(wide).toContain('NAMESPACE CONNECTION READY REASON POLICIES SCOPES DISMISSALS REQUESTS/H ALLOWED/H');
  expect(wide).toContain(' crac/prod False Unauthorized 3 0 2 100 3600');
  expect(wide).toContain('team rac/prod True Connected 3 0 0 68 3600');
});

describe('the text', () => {
  test('says that nothing was found, or that nothing needs attention', () => {
    expect(textOf(input([]))).toBe('No policies and no connections found.\n');
    expect(textOf(input([healthy('a')]))).toBe(
      [
        'Totals',
        'Policies          1   1 ready',
        'Declared alerts   2   2 in sync',
        'Incidents         0   0 of severity High',
        'Connections       0   0 ready',
        '',
        'What needs attention',
        'Nothing needs attention.',
        '',
      ].join('\n'),
    );
  });

  test('shows ten findings of a kind and counts the others, or all with --output wide', () => {
    const stalled = Array.from({ length: 12 }, (_, index) =>
      decided(`p${String(index).padStart(2, '0')}`, [
        condition('Ready', 'False', 'AccessDenied'),
        { ...condition('Stalled', 'True', 'AccessDenied'), message: `Scope ${index}.` },
      ]),
    );
    const lines = textOf(input([...stalled, policy({ name: 'waiting' })])).split('\n');
    expect(lines).toContain('stalled   0s    policy team/p00       AccessDenied   Scope 0.');
    expect(lines.filter((line) => line.startsWith('stalled'))).toHaveLength(10);
    expect(lines).toContain('waiting         policy team/waiting   Pending        Waiting for the operator.');
    expect(lines).toContain('… and 2 more; --output wide lists them');
    expect(textOf(input(stalled), 0, true)).toContain('team/p11');
  });

  test('shows a cause with the number of policies behind it, and what they all say once', () => {
    const names = Array.from({ length: 12 }, (_, index) => `p${String(index).padStart(2, '0')}`);
    const blocked = names.map((name) => decided(name, [condition('Ready', 'False', 'ConnectionNotReady')]));
    const conditions = [condition('Ready', 'False', 'Unauthorized')];
    const given = input(blocked, [connected({ conditions, policies: 12 })]);
    const [, attention] = report(given).sections;
    expect(attention?.rows.map(({ cells }) => cells.slice(2))).toEqual([
      ['connection team/prod', 'Unauthorized', '12 policies. Unauthorized of Ready.'],
      ['policy team/p00 and 11 more', 'ConnectionNotReady', 'ConnectionNotReady of Ready.'],
    ]);
    const { findings } = fleetOf(given);
    expect(findings.map(({ object, policies }) => [object, policies])).toEqual([
      ['connection team/prod', 12],
      ...names.map((name) => [`policy team/${name}`, undefined]),
    ]);
  });

  test('shows incidents of severity High first, then what is new, with its age', () => {
    const open = (name: string, agoMs: number, highIncidents: number) =>
      decided(
        name,
        [ready, { ...condition('IncidentsOpen', 'True', 'IncidentsFound'), lastTransitionTime: at(-agoMs) }],
        { incidents: 9, highIncidents },
      );
    const policies = [open('low', dayMs / 24, 0), open('old', 3 * dayMs, 9), open('new', dayMs, 1)];
    const [, attention] = report(input(policies)).sections;
    expect(attention?.rows.map(({ cells }) => cells.slice(1, 3))).toEqual([
      ['1d', 'policy team/new'],
      ['3d', 'policy team/old'],
      ['1h', 'policy team/low'],
    ]);
  });

  test('has the display name of a scope where its annotation has one', () => {
    const annotations = { 'rolealerts.dev/display-name': 'Payments production' };
    const conditions = [condition('Ready', 'False', 'CorrectionFailed')];
    const named = policy({ name: 'a', metadata: { annotations }, status: { observedGeneration: 1, conditions } });
    const text = textOf(input([named]), 0, true);
    expect(text).toContain('policy team/a (Payments production)');
    expect(text).toContain('Payments production (subscriptions/a)');
    expect(reportData(report(input([named])))).toMatchObject({
      findings: [{ object: 'policy team/a', displayName: 'Payments production' }],
      policies: [{ scope: 'subscriptions/a', displayName: 'Payments production' }],
    });
  });
});

test('no control character of a status reaches a terminal', () => {
  const forged = { ...condition('Stalled', 'True', 'Flapping'), message: 'a\u001b[2J\nNothing needs attention.\u202e' };
  const text = textOf(input([decided('a', [forged], { inSyncText: '0/1\u001b[2J' })]), 0, true);
  expect(text).toContain('Flapping   a Nothing needs attention.\n');
  expect(text).not.toMatch(/[\u001b\u202e]/);
});
