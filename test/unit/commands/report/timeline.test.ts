// What the section `timeline` shows: which dismissals and suspensions end, and what happens then.
import { describe, expect, test } from 'vitest';

import { reportText, type TextOptions } from '../../../../src/commands/report/text.ts';
import { timelineOf, timelineSection } from '../../../../src/commands/report/timeline.ts';
import type { PolicyAlert } from '../../../../src/policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { active, at, inactive, nowMs, policy } from '../../../support/builders/objects.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const timeline = (policies: readonly RoleAlertPolicy[], days = 30) =>
  timelineOf({ policies, nowMs, untilMs: nowMs + days * dayMs });
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
  const observing = (spec: Partial<RoleAlertPolicy['spec']>) => holding([endsIn(20)], spec);
  const only = 'the operator activates Owners only if it deactivated it, because';

  test.each<[string, RoleAlertPolicy, string]>([
    ['in force', holding([active, endsIn(20)]), 'the operator activates Owners'],
    [
      'of an alert that is active, for example until a correction window opens',
      withRow(holding([endsIn(20)]), { live: 'Active', result: 'Held' }),
      'the operator activates Owners if it is inactive then',
    ],
    [
      'of an alert that the service does not list',
      withRow(holding([endsIn(20)]), { live: 'Missing' }),
      'nothing, unless the service lists Owners until then',
    ],
    ['of an observing policy', observing({ mode: 'Observe' }), `${only} the policy only observes`],
    ['of a suspended policy', observing({ suspend: true }), `${only} the policy is suspended`],
    [
      'of a policy that is suspended until later',
      observing({ suspend: true, suspendUntil: at(21 * dayMs) }),
      `${only} the policy is suspended`,
    ],
  ])('%s has its effect', (_, declared, effect) => {
    expect(linesOf([declared])[0]).toBe(`06-21T12:00 DismissalEnds policy team/owners: ${effect}`);
  });

  test('beyond the days that are shown, or past, is left out', () => {
    expect(linesOf([holding([endsIn(20, 'A'), endsIn(-1, 'B'), endsIn(0, 'C')])], 19)).toEqual([]);
  });
});

const reportOf = (shown: ReturnType<typeof timelineOf>) => ({
  title: '',
  notes: [],
  sections: [timelineSection(shown)],
});
const textOf = (shown: ReturnType<typeof timelineOf>, options: TextOptions) => reportText(reportOf(shown), options);

describe('the text', () => {
  const suspended = holding([endsIn(20)], { suspend: true, suspendUntil: at(dayMs) });
  const shown = timeline([suspended]);

  test('has a row for each change, in the order of time', () => {
    expect(textOf(shown, { columns: 0, isWide: false })).toBe(
      `TIME                   IN    WHAT              OBJECT               EFFECT
2026-06-02T12:00:00Z   24h   suspension ends   policy team/owners   the operator reconciles the policy again and corrects drift
2026-06-21T12:00:00Z   20d   dismissal ends    policy team/owners   the operator activates Owners
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
    expect(textOf(timeline([holding([inactive({ incidents: ['6f1c'] })])]), { columns: 0, isWide: false })).toBe(
      `No dismissal or suspension ends until 2026-07-01T12:00:00Z.

1 dismissal has no end: only an incident beyond those that it names, or an edit, ends it.
`,
    );
  });

  test('has effects below their rows on a narrow terminal', () => {
    const lines = textOf(shown, { columns: 60, isWide: false }).split('\n').slice(0, 5);
    expect(lines).toEqual([
      'TIME                   IN    WHAT              OBJECT',
      '    EFFECT',
      '2026-06-02T12:00:00Z   24h   suspension ends   policy team/…',
      '    the operator reconciles the policy again and corrects',
      '    drift',
    ]);
  });
});
