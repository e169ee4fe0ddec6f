// The page of one policy.
import { expect, test } from 'vitest';

import { policyReport } from '../../../../src/commands/ui/policy-report.ts';
import { at, minuteMs, policy } from '../../../support/builders/objects.ts';
import { alertRow, condition, pagePolicy, pageTrace } from '../../../support/builders/page-fleet.ts';

const rowsOf = (report: ReturnType<typeof policyReport>, id: string) =>
  report.sections.find((section) => section.id === id)?.rows.map(({ cells }) => cells);

test('shows the way to its alerts, the link that is broken and the command that mends or explains it', () => {
  const report = policyReport(policy({ name: 'stalled' }), pageTrace);
  expect(report.title).toBe('Policy team/stalled');
  expect(rowsOf(report, 'trace')).toContainEqual(['› connection team/prod', 'blocked', 'does not exist']);
  expect(report.sections[0]?.notes).toEqual([
    expect.stringMatching(/^Blocked by ConnectionNotFound: /),
    expect.stringMatching(/^Run: /),
  ]);
});

test('has its conditions with the next step, and its alerts', () => {
  const conditions = [condition('Ready', 'False', 'ScopeNotFound', 'No such scope.')];
  const report = policyReport(pagePolicy({ name: 'a', conditions, alerts: [alertRow('Owners')] }), undefined);
  expect(rowsOf(report, 'conditions')).toEqual([
    ['Ready', 'False', 'ScopeNotFound', 'No such scope.', expect.stringContaining('spec.scope'), at(-minuteMs)],
  ]);
  expect(rowsOf(report, 'alerts')).toEqual([['Owners', 'Active', 'Active', 'InSync', 'none', 0, '']]);
});

test('has the last corrections, newest first', () => {
  const shown = pagePolicy({
    name: 'a',
    history: [
      { at: at(-2 * minuteMs), alert: 'Owners', direction: 'Activated', reason: 'Drift', count: 3 },
      { at: at(-3 * minuteMs), alert: 'Owners', direction: 'Paused' as 'Activated', reason: 'Newer', count: 1 },
    ],
  });
  expect(rowsOf(policyReport(shown, undefined), 'history')).toEqual([
    [at(-2 * minuteMs), 'Drift', 'The operator activated Owners 3 times.'],
    [at(-3 * minuteMs), 'Newer', 'The operator changed Owners.'],
  ]);
});

test('has the conditions when the API server does not show the trace', () => {
  const report = policyReport(pagePolicy({ name: 'a' }), undefined);
  expect(report.sections.map(({ id, notes, nothing }) => [id, notes, nothing])).toEqual([
    ['trace', [], 'The trace could not be read.'],
    ['conditions', undefined, 'None yet.'],
    ['alerts', undefined, 'None yet.'],
    ['history', undefined, 'None yet.'],
  ]);
  expect(rowsOf(report, 'conditions')).toHaveLength(1);
});
