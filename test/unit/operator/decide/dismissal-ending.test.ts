// A dismissal in force that ends within seven days: one event for each end, whatever happens meanwhile.
import { describe, expect, it } from 'vitest';

import type { Alert } from '../../../../src/alerts/types.ts';
import type { AlertDecision } from '../../../../src/operator/decide/decisions.ts';
import { alertRows } from '../../../../src/operator/report/alert-status.ts';
import { alertEvents } from '../../../../src/operator/report/events.ts';
import type { AlertStatus, Dismissal } from '../../../../src/policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { alert, alertName, at, inactive, minuteMs, nowMs, policy } from '../../../support/builders/objects.ts';

const dayMs = 24 * 60 * minuteMs;
const week = at(7 * dayMs);
const ends = (until: string, bound: Partial<Dismissal> = {}) =>
  policy({ spec: { alerts: [inactive({ until, ...bound })] } });
const quiet = alert({ isActive: false });

function decided(live: Alert | undefined = quiet, change: Partial<AlertDecision> = {}): AlertDecision {
  const want = { state: 'Inactive', source: 'DismissalHolds' } as const;
  return { name: alertName, want, alert: live, result: 'InSync', ...change };
}

/** The row after a reconcile of the policy, whose previous status has the row `before`. */
function rowOf(object: RoleAlertPolicy, decision: AlertDecision, before?: AlertStatus): AlertStatus | undefined {
  const status = { observedGeneration: 1, alerts: before ? [before] : [] };
  return alertRows([decision], { policy: { ...object, status }, corrections: [], nowMs })[0];
}

function eventsOf(before: AlertStatus | undefined, after: AlertStatus | undefined, decision = decided()): string[] {
  const statusWith = (row: AlertStatus | undefined) => ({ observedGeneration: 1, alerts: row ? [row] : [] });
  return alertEvents(statusWith(before), statusWith(after), [decision], []).map(
    ({ type, reason, note }) => `${type} ${reason}: ${note}`,
  );
}

const long = rowOf(ends(at(7 * dayMs + 1)), decided());
const soon = rowOf(ends(week), decided());

describe('the end of a dismissal in force', () => {
  it('is announced by one event, seven days before', () => {
    expect([long?.dismissalEnding, soon?.dismissalEnding]).toEqual([undefined, '2026-06-08T12:00:00Z']);
    expect(eventsOf(long, soon)).toEqual([
      'Normal DismissalEnding: The dismissal of alert TooManyOwners (until 2026-06-08T12:00:00Z) ends soon; the operator then activates the alert. Extend `until` to keep it inactive.'.replace(
        'TooManyOwners',
        alertName,
      ),
    ]);
    expect(eventsOf(soon, rowOf(ends(week), decided(), soon))).toEqual([]);
  });

  it('is announced again once it was moved', () => {
    const moved = rowOf(ends(at(6 * dayMs)), decided(), soon);
    expect(eventsOf(soon, moved)).toMatchObject([expect.stringContaining('2026-06-07T12:00:00Z')]);
    const extended = rowOf(ends(at(20 * dayMs)), decided(), soon);
    expect([extended?.dismissalEnding, eventsOf(soon, extended)]).toEqual([undefined, []]);
  });

  it('is not announced again after another client activated the alert', () => {
    const drift = decided(alert(), { result: 'Drifted' });
    const drifted = rowOf(ends(week), drift, soon);
    expect(drifted?.dismissalEnding).toBe(soon?.dismissalEnding);
    const back = rowOf(ends(week), decided(), drifted);
    expect(eventsOf(drifted, back)).toEqual([]);
  });

  it.each<[string, RoleAlertPolicy, AlertDecision]>([
    ['without an end', policy({ spec: { alerts: [inactive({ incidents: ['6f1c'] })] } }), decided()],
    ['that is not in force yet', ends(week), decided(alert(), { result: 'Held', reason: 'DeactivationLimited' })],
    ['of an alert that the service does not list', ends(week), decided(alert(), { alert: undefined })],
    ['that has ended', ends(at(0)), decided(alert(), { want: { state: 'Active', source: 'DismissalExpired' } })],
  ])('is not announced for a dismissal %s', (_, object, decision) => {
    expect(rowOf(object, decision)).not.toHaveProperty('dismissalEnding');
  });
});
