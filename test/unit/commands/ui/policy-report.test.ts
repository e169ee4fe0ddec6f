// The page of one policy.
import { expect, test } from 'vitest';

import { policyReport } from '../../../../src/commands/ui/policy-report.ts';
import { at, minuteMs, policy } from '../../../support/builders/objects.ts';
import { alertRow, condition, pagePolicy, pageTrace } from '../../../support/builders/page-fleet.ts';

const rowsOf = (report: ReturnType<typeof policyReport>, id: string) =>
  report.sections.find((section) => section.id === id)?.rows.map(({ cells }) => cells);

test('shows the way to its alerts, the link that is broken and the command that mends or explains it', () => {
  const report = policyReport(policy({ name: 'stalled' }), { trace: pageTrace, events: [] });
  expect(report.title).toBe('Policy team/stalled');
  expect(rowsOf(report, 'trace')).toContainEqual(['› connection team/prod', 'blocked', 'does not exist']);
  expect(report.sections[0]?.notes).toEqual([
    expect.stringMatching(/^Blocked by ConnectionNotFound: /),
    expect.stringMatching(/^Run: /),
  ]);
});

test('has its conditions with the next step, and its alerts', () => {
  const conditions = [condition('Ready', 'False', 'ScopeNotFound', 'No such scope.')];
  const report = policyReport(pagePolicy({ name: 'a', conditions, alerts: [alertRow('Owners')] }), {
    trace: undefined,
    events: [],
  });
  expect(rowsOf(report, 'conditions')).toEqual([
    ['Ready', 'False', 'ScopeNotFound', 'No such scope.', expect.stringContaining('spec.scope'), at(-minuteMs)],
  ]);
  expect(rowsOf(report, 'alerts')).toEqual([['Owners', 'Active', 'Active', 'InSync', 'none', 0, '']]);
});

test('joins corrections and events, newest first', () => {
  const shown = pagePolicy({
    name: 'a',
    history: [
      { at: at(-2 * minuteMs), alert: 'Owners', direction: 'Activated', reason: 'Drift', count: 3 },
      { at: at(-3 * minuteMs), alert: 'Owners', direction: 'Paused' as 'Activated', reason: 'Newer', count: 1 },
    ],
  });
  const event = { uid: 'u', at: at(0), type: 'Warning', reason: 'Flapping', note: 'Held.', count: 2 } as const;
  expect(rowsOf(policyReport(shown, { trace: undefined, events: [event] }), 'history')).toEqual([
    [at(0), 'Flapping', 'Held. (2 times)'],
    [at(-2 * minuteMs), 'Drift', 'The operator activated Owners 3 times.'],
    [at(-3 * minuteMs), 'Newer', 'The operator changed Owners.'],
  ]);
});

test('has the conditions when the API server does not show the trace and the events', () => {
  const note = 'There are no events here: refused.';
  const report = policyReport(pagePolicy({ name: 'a' }), { events: [], trace: undefined, note });
  expect(report.sections.map(({ id, notes, nothing }) => [id, notes, nothing])).toEqual([
    ['trace', [], 'The trace could not be read.'],
    ['conditions', undefined, 'None yet.'],
    ['alerts', undefined, 'None yet.'],
    ['history', [note], 'None yet.'],
  ]);
  expect(rowsOf(report, 'conditions')).toHaveLength(1);
});
