// What the section `timeline` shows: which dismissals and suspensions end, which windows open and close, and what happens then.
import { describe, expect, test } from 'vitest';

import { reportData, reportText, type TextOptions } from '../../../../src/commands/report/text.ts';
import { timelineOf, timelineSection } from '../../../../src/commands/report/timeline.ts';
import type { CorrectionWindow, PolicyAlert } from '../../../../src/policy/generated/role-alert-policy.ts';
import type { AnyConnection, RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import {
  active,
  at,
  clusterConnection,
  connection,
  inactive,
  nowMs,
  policy,
} from '../../../support/builders/objects.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const timeline = (
  policies: readonly RoleAlertPolicy[],
  connections: readonly AnyConnection[] = [connection()],
  days = 30,
) => timelineOf({ policies, connections, nowMs, untilMs: nowMs + days * dayMs });
type Change = Parameters<typeof timeline>;

const linesOf = (...change: Change) =>
  timeline(...change).entries.map(
    ({ atMs, kind, object, effect }) => `${new Date(atMs).toISOString().slice(5, 16)} ${kind} ${object}: ${effect}`,
  );

const named = (name: string, declared: PolicyAlert): PolicyAlert => ({ ...declared, name });
const endsIn = (days: number, name = 'Owners') => named(name, inactive({ until: at(days * dayMs) }));
const holding = (alerts: readonly PolicyAlert[], spec: Partial<RoleAlertPolicy['spec']> = {}) =>
  policy({ spec: { alerts, ...spec } });

type Row = Partial<NonNullable<NonNullable<RoleAlertPolicy['status']>['alerts']>[number]>;
function withRow(object: RoleAlertPolicy, row: Row): RoleAlertPolicy {
  const whole = {
    name: 'Owners',
    want: 'Inactive',
    live: 'Inactive',
    state: 'Dismissed',
    result: 'InSync',
    incidents: { total: 1 },
    ...row,
  } as const;
  return { ...object, status: { observedGeneration: 1, conditions: [], alerts: [whole] } };
}

describe('the end of a dismissal', () => {
  test('activates the alert', () => {
    expect(linesOf([holding([active, endsIn(20)])])).toEqual([
      '06-21T12:00 DismissalEnds policy team/owners: the operator activates Owners',
    ]);
  });

  test('beyond the days that are shown, or past, is left out', () => {
    expect(linesOf([holding([endsIn(20, 'A'), endsIn(-1, 'B'), endsIn(0, 'C')])], [connection()], 19)).toEqual([]);
  });

  test('of an alert that is active changes nothing', () => {
    expect(linesOf([withRow(holding([endsIn(20)]), { live: 'Active' })])[0]).toMatch(
      /: Owners stays active, as it is now$/,
    );
  });

  test('of an alert that the service does not list changes nothing', () => {
    expect(linesOf([withRow(holding([endsIn(20)]), { live: 'Missing' })])[0]).toMatch(
      /: nothing, unless the service lists Owners until then$/,
    );
  });

  test.each([
    [{ mode: 'Observe' } as const, 'the policy only observes'],
    [{ suspend: true }, 'the policy is suspended'],
    [{ suspend: true, suspendUntil: at(21 * dayMs) }, 'the policy is suspended'],
  ])('with %j activates what the operator deactivated', (spec, why) => {
    const observing = holding([endsIn(20)], spec);
    expect(linesOf([observing])[0]).toContain(
      `: the operator activates Owners only if it deactivated it, because ${why}`,
    );
  });

  test('after that of the suspension activates the alert', () => {
    expect(linesOf([holding([endsIn(20)], { suspend: true, suspendUntil: at(dayMs) })])).toEqual([
      '06-02T12:00 SuspensionEnds policy team/owners: the operator reconciles the policy again and corrects drift',
      '06-21T12:00 DismissalEnds policy team/owners: the operator activates Owners',
    ]);
  });

  test('beyond limits.maxDismissal allows the dismissal once it is near enough', () => {
    const limits = { ...connection().spec.limits, maxDismissal: '240h' };
    const lines = linesOf([holding([endsIn(20)])], [connection({ limits })]);
    expect(lines).toEqual([
      '06-11T12:00 DismissalAllowed policy team/owners: the end of the dismissal of Owners comes within limits.maxDismissal (240h): the operator may deactivate it',
      '06-21T12:00 DismissalEnds policy team/owners: the operator activates Owners',
    ]);
    expect(linesOf([holding([endsIn(20)])], [connection({ limits, deactivation: 'Deny' })])).toHaveLength(1);
    const byIncidents = inactive({ incidents: ['6f1c'], until: at(20 * dayMs) });
    expect(linesOf([holding([byIncidents])], [connection({ limits })])).toHaveLength(1);
  });

  test('that has none is a note', () => {
    const { entries, notes } = timeline([holding([inactive({ incidents: ['6f1c'] })])]);
    expect(entries).toEqual([]);
    expect(notes).toEqual([
      '1 dismissal has no end: only an incident beyond those that it names, or an edit, ends it.',
    ]);
  });
});

const weekly: CorrectionWindow = { kind: 'Allow', schedule: '0 2 * * SUN', duration: '4h', timeZone: 'UTC' };

describe('correction windows', () => {
  test('of a connection open for what its policies declare by then', () => {
    const connected = connection({ correctionWindows: [weekly] });
    expect(linesOf([holding([endsIn(7)])], [connected], 14)).toEqual([
      '06-07T02:00 WindowsOpen connection team/prod: the operator may deactivate alerts; 1 dismissal is declared for that time',
      '06-07T06:00 WindowsClose connection team/prod: deactivations wait until 2026-06-14T02:00:00Z',
      '06-08T12:00 DismissalEnds policy team/owners: the operator activates Owners',
      '06-14T02:00 WindowsOpen connection team/prod: the operator may deactivate alerts, but no policy declares a dismissal for that time',
      '06-14T06:00 WindowsClose connection team/prod: deactivations wait beyond the end of this timeline',
    ]);
  });

  test('of a ClusterRoleAlertConnection are named after its kind', () => {
    const shared = clusterConnection({ correctionWindows: [weekly] });
    expect(linesOf([], [shared], 6)[0]).toContain('WindowsOpen ClusterRoleAlertConnection prod: ');
  });

  test('of a policy open when those of its connection are open as well', () => {
    const early: CorrectionWindow = { ...weekly, kind: 'Deny', duration: '1h' };
    const own = holding([endsIn(20)], { correctionWindows: [weekly] });
    expect(linesOf([own], [connection({ correctionWindows: [early] })], 6)).toEqual([
      '06-07T02:00 WindowsClose connection team/prod: deactivations wait until 2026-06-07T03:00:00Z',
      '06-07T03:00 WindowsOpen connection team/prod: the operator may deactivate alerts, but no policy declares a dismissal for that time',
      '06-07T03:00 WindowsOpen policy team/owners: the operator may deactivate alerts; 1 dismissal is declared for that time',
      '06-07T06:00 WindowsClose policy team/owners: deactivations wait beyond the end of this timeline',
    ]);
  });

  test('of several policies with the same ones are shown once', () => {
    const own = (name: string) => policy({ name, spec: { correctionWindows: [weekly] } });
    const lines = linesOf([own('a'), own('b'), own('c')], [connection()], 6);
    expect(lines.map((line) => line.split(':').slice(0, 2).join(':'))).toEqual([
      '06-07T02:00 WindowsOpen policy team/a and 2 more',
      '06-07T06:00 WindowsClose policy team/a and 2 more',
    ]);
  });

  test('name the deactivations that wait for them', () => {
    const held = withRow(holding([endsIn(20)]), { live: 'Active', result: 'Held' });
    expect(linesOf([held], [connection({ correctionWindows: [weekly] })], 6)[0]).toBe(
      '06-07T02:00 WindowsOpen connection team/prod: the operator may deactivate Owners of policy team/owners, which waits for it',
    );
  });

  test.each([
    [
      { ...weekly, schedule: '0 0 31 2 *' },
      'stay closed, because one of them cannot be read: rolealerts validate names it.',
    ],
    [{ ...weekly, schedule: '0 2 1 12 *' }, 'stay closed during that time.'],
    [{ ...weekly, kind: 'Deny', schedule: '0 2 1 12 *' } as const, 'stay open during that time.'],
  ])('%j without a change are a note', (window, note) => {
    const { entries, notes } = timeline([], [connection({ correctionWindows: [window] })]);
    expect(entries).toEqual([]);
    expect(notes).toEqual([`The correction windows of connection team/prod ${note}`]);
  });
});

test('a connection that was not read is a note', () => {
  expect(timeline([policy()], []).notes).toEqual([
    'Connection team/prod was not read, so its correction windows and limits are not considered.',
  ]);
});

const reportOf = (shown: ReturnType<typeof timelineOf>) => ({
  title: '',
  notes: [],
  sections: [timelineSection(shown)],
});
const textOf = (shown: ReturnType<typeof timelineOf>, options: TextOptions) => reportText(reportOf(shown), options);

describe('the text', () => {
  const daily: CorrectionWindow = { ...weekly, schedule: '0 2 * * *' };
  const shown = timeline([holding([endsIn(20)], { correctionWindows: [daily] })]);

  test('counts the changes of windows that repeat', () => {
    expect(textOf(shown, { columns: 0, isWide: false })).toBe(
      `TIME                   IN    WHAT             OBJECT               EFFECT
2026-06-02T02:00:00Z   14h   windows open     policy team/owners   the operator may deactivate alerts; 1 dismissal is declared for that time
2026-06-02T06:00:00Z   18h   windows close    policy team/owners   deactivations wait until 2026-06-03T02:00:00Z
2026-06-03T02:00:00Z   38h   windows open     policy team/owners   the operator may deactivate alerts; 1 dismissal is declared for that time
2026-06-03T06:00:00Z   42h   windows close    policy team/owners   deactivations wait until 2026-06-04T02:00:00Z
2026-06-21T12:00:00Z   20d   dismissal ends   policy team/owners   the operator activates Owners
… and 56 more; --output wide lists them
`,
    );
  });

  test('shows scopes and reasons when it is wide, without control characters', () => {
    const dismissal = { reason: 'break-glass\u001b[31m owners', until: at(dayMs) };
    const lines = textOf(timeline([holding([{ name: 'Owners', state: 'Inactive', dismissal }])]), {
      columns: 0,
      isWide: true,
    }).split('\n');
    expect(lines[1]).toMatch(/the operator activates Owners {3}subscriptions\/a {3}break-glass owners$/);
  });

  test('says when nothing changes, and ends with the notes', () => {
    expect(textOf(timeline([policy()], []), { columns: 0, isWide: false })).toBe(
      `Nothing changes by itself until 2026-07-01T12:00:00Z.

Connection team/prod was not read, so its correction windows and limits are not considered.
`,
    );
  });

  test('continues effects on further lines of a terminal', () => {
    const lines = textOf(shown, { columns: 105, isWide: false }).split('\n').slice(0, 4);
    expect(lines).toEqual([
      'TIME                   IN    WHAT             OBJECT               EFFECT',
      '2026-06-02T02:00:00Z   14h   windows open     policy team/owners   the operator may deactivate alerts; 1',
      '                                                                   dismissal is declared for that time',
      '2026-06-02T06:00:00Z   18h   windows close    policy team/owners   deactivations wait until',
    ]);
  });

  test('has effects below their rows on a narrow terminal', () => {
    const lines = textOf(shown, { columns: 60, isWide: false }).split('\n').slice(0, 5);
    expect(lines).toEqual([
      'TIME                   IN    WHAT             OBJECT',
      '    EFFECT',
      '2026-06-02T02:00:00Z   14h   windows open     policy team/o…',
      '    the operator may deactivate alerts; 1 dismissal is',
      '    declared for that time',
    ]);
  });

  test('cuts the lines of a wide table to the width of a terminal', () => {
    const lines = textOf(shown, { columns: 60, isWide: true }).split('\n').slice(0, 7);
    expect(Math.max(...lines.map((line) => line.length))).toBe(60);
  });
});

test('the JSON has a version and times', () => {
  expect(reportData(reportOf(timeline([holding([endsIn(20)])])))).toEqual({
    apiVersion: 'cli.rolealerts.dev/v1',
    kind: 'FleetStatus',
    timeline: {
      from: '2026-06-01T12:00:00Z',
      until: '2026-07-01T12:00:00Z',
      entries: [
        {
          time: '2026-06-21T12:00:00Z',
          kind: 'DismissalEnds',
          object: 'policy team/owners',
          effect: 'the operator activates Owners',
          scope: 'subscriptions/a',
          alert: 'Owners',
          reason: 'tracked in SEC-1182',
        },
      ],
    },
    notes: [],
  });
});
