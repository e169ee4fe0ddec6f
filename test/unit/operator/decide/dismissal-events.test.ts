// Dismissals that end within seven days, that are no longer in force without an activation by the operator, and declared alerts that the
// service does not list.
import { describe, expect, it } from 'vitest';

import type { Alert } from '../../../../src/alerts/types.ts';
import type { AlertDecision } from '../../../../src/operator/decide/decisions.ts';
import type { Correction } from '../../../../src/operator/decide/writes.ts';
import type { ConditionDraft } from '../../../../src/operator/reasons/conditions.ts';
import { conditionMessage } from '../../../../src/operator/reasons/reasons.ts';
import { alertRows } from '../../../../src/operator/report/alert-status.ts';
import { conditionsOfDecisions } from '../../../../src/operator/report/condition-set.ts';
import { alertEvents } from '../../../../src/operator/report/events.ts';
import type { AlertStatus, Dismissal } from '../../../../src/policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import type { WantSource } from '../../../../src/policy/wants.ts';
import { alert, alertName, at, inactive, minuteMs, nowMs, policy } from '../../../support/builders/objects.ts';

const holding = { state: 'Inactive', source: 'DismissalHolds' } as const;
const endedBy = (source: WantSource) => ({ state: 'Active', source }) as const;

function decided(live: Alert | undefined, change: Partial<AlertDecision> = {}): AlertDecision {
  return { name: live?.name ?? 'A', want: holding, alert: live, result: 'InSync', ...change };
}
const named = (name: string, isActive: boolean) => alert({ name, isActive });
const rowsOf = (decisions: readonly AlertDecision[]): AlertStatus[] =>
  alertRows(decisions, { policy: policy(), corrections: [], nowMs });

function eventsOf(before: readonly AlertDecision[], after: readonly AlertDecision[], corrections: Correction[] = []) {
  return transition(rowsOf(before), rowsOf(after), after, corrections);
}

function transition(
  before: readonly AlertStatus[],
  after: readonly AlertStatus[],
  decisions: readonly AlertDecision[],
  corrections: Correction[] = [],
): string[] {
  const [previous, next] = [before, after].map((alerts) => ({ observedGeneration: 1, alerts }));
  const events = alertEvents(previous, next ?? { observedGeneration: 1 }, decisions, corrections);
  return events.map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
}

const quiet = decided(named('A', false));
const expired = decided(named('A', true), { want: endedBy('DismissalExpired') });
const outgrown = decided(named('A', true), { want: endedBy('NewIncidents') });
const ended =
  'Normal DismissalExpired: The dismissal of alert A has ended; the alert is active. Extend `until`, or declare it Active.';
const beyond =
  'Warning NewIncidents: Alert A has incidents beyond the bound of its dismissal; it is active. Handle the incidents, or extend the dismissal.';
const waiting = decided(named('A', false), {
  want: endedBy('NewIncidents'),
  result: 'Pending',
  isDeactivatedByOperator: true,
});
const correction: Correction = {
  alert: 'a',
  isActive: true,
  cause: 'NewIncidents',
  policyKey: 'team/owners',
  actor: 'Self',
  seenAtMs: nowMs,
};

describe('a dismissal that is no longer in force', () => {
  it.each<[string, string[], string[]]>([
    ['when another client activated the alert', eventsOf([quiet], [outgrown]), [beyond]],
    ['when it has ended while the alert was active', eventsOf([quiet], [expired]), [ended]],
    [
      'when another client was quicker than the activation',
      eventsOf([waiting], [{ ...outgrown, isDeactivatedByOperator: true }]),
      [beyond],
    ],
  ])('is an event %s', (_, events, expected) => {
    expect(events).toEqual(expected);
  });

  it.each<[string, string[]]>([
    ['before the alert is active', eventsOf([quiet], [waiting])],
    [
      'when others activated again what they had deactivated',
      eventsOf([{ ...waiting, isDeactivatedByOperator: false }], [outgrown]),
    ],
    ['when the alert is not listed', eventsOf([decided(undefined)], [decided(undefined)])],
  ])('is no event %s', (_, events) => {
    expect(events).toEqual([]);
  });

  it('is reported by the correction alone when there is one', () => {
    expect(eventsOf([waiting], [{ ...outgrown, isDeactivatedByOperator: true }], [correction])).toEqual([
      expect.stringContaining('it is active again'),
    ]);
  });
});

describe('a declared alert that the service does not list', () => {
  const absent = (want: AlertDecision['want']) =>
    decided(undefined, { want, result: want.state === 'Inactive' ? 'InSync' : 'Missing' });
  const warning = `Warning AlertNotFound: ${conditionMessage('AlertNotFound', { alerts: 'Alert A' })}`;

  it('is one event, again when the desired state changes or the alert was listed since', () => {
    const declared = { state: 'Active', source: 'Declared' } as const;
    expect(eventsOf([], [absent(holding)])).toEqual([warning]);
    expect(eventsOf([absent(holding)], [absent(holding)])).toEqual([]);
    expect(eventsOf([absent(holding)], [absent(declared)])).toEqual([warning]);
    expect(eventsOf([quiet], [absent(holding)])).toEqual([warning]);
    expect(eventsOf([], [absent({ state: 'None', source: 'NotDeclared' })])).toEqual([]);
  });
});

describe('the message of InSync', () => {
  const notesOf = (...decisions: AlertDecision[]) =>
    (conditionsOfDecisions({ alerts: decisions }).InSync as ConditionDraft).notes ?? [];

  it('has a sentence for each kind of exception, also when another alert is not in sync', () => {
    const drifted = decided(named('Z', false), { want: { state: 'Active', source: 'Declared' }, result: 'Drifted' });
    expect(notesOf(expired, { ...outgrown, name: 'B' }, decided(undefined, { name: 'C' }), drifted)).toEqual([
      'Alert A: active although declared Inactive, because the dismissal has ended. Extend `until`, or declare the state Active.',
      'Alert B: active although declared Inactive, because incidents exceed the bound of the dismissal. Handle the incidents, or extend the dismissal.',
      'Alert C: declared Inactive, but not listed by the service. Check the name, or remove it from the spec.',
    ]);
  });

  it('names an alert that is active and was often undone, and none that is not in sync', () => {
    const undone = { want: { state: 'Active', source: 'Declared' }, isUndone: true } as const;
    expect(notesOf(decided(named('X', true), { ...undone, result: 'InSync' }))).toEqual([
      'Alert X: active, but deactivated by another client again and again. Find out which client (lastDrift in status.alerts).',
    ]);
    expect(notesOf(decided(named('X', false), { ...undone, result: 'Drifted' }))).toEqual([]);
  });
});

const dayMs = 24 * 60 * minuteMs;
const week = at(7 * dayMs);
const ends = (until: string, bound: Partial<Dismissal> = {}) =>
  policy({ spec: { alerts: [inactive({ until, ...bound })] } });
const silent = alert({ isActive: false });

const inForce = (live = silent, change: Partial<AlertDecision> = {}) => decided(live, { name: alertName, ...change });

/** The events of the transition between two rows. */
function endEvents(before: AlertStatus | undefined, after: AlertStatus | undefined): string[] {
  return transition(before ? [before] : [], after ? [after] : [], [inForce()]);
}

/** The row after a reconcile of the policy, whose previous status has the row `before`. */
function rowOf(object: RoleAlertPolicy, decision: AlertDecision, before?: AlertStatus): AlertStatus | undefined {
  const status = { observedGeneration: 1, alerts: before ? [before] : [] };
  return alertRows([decision], { policy: { ...object, status }, corrections: [], nowMs })[0];
}

const long = rowOf(ends(at(7 * dayMs + 1)), inForce());
const soon = rowOf(ends(week), inForce());

describe('the end of a dismissal in force', () => {
  it('is announced by one event, seven days before', () => {
    expect([long?.dismissalEnding, soon?.dismissalEnding]).toEqual([undefined, '2026-06-08T12:00:00Z']);
    expect(endEvents(long, soon)).toEqual([
      'Normal DismissalEnding: The dismissal of alert TooManyOwners (until 2026-06-08T12:00:00Z) ends soon; the operator then activates the alert. Extend `until` to keep it inactive.'.replace(
        'TooManyOwners',
        alertName,
      ),
    ]);
    expect(endEvents(soon, rowOf(ends(week), inForce(), soon))).toEqual([]);
  });

  it('is not announced again after another client activated the alert', () => {
    const drift = inForce(alert(), { result: 'Drifted' });
    const drifted = rowOf(ends(week), drift, soon);
    expect(drifted?.dismissalEnding).toBe(soon?.dismissalEnding);
    const back = rowOf(ends(week), inForce(), drifted);
    expect(endEvents(drifted, back)).toEqual([]);
  });

  it.each<[string, RoleAlertPolicy, AlertDecision]>([
    ['without an end', policy({ spec: { alerts: [inactive({ incidents: ['6f1c'] })] } }), inForce()],
    ['that is not in force yet', ends(week), inForce(alert(), { result: 'Held', reason: 'DeactivationLimited' })],
    ['of an alert that the service does not list', ends(week), inForce(alert(), { alert: undefined })],
    ['that has ended', ends(at(0)), inForce(alert(), { want: { state: 'Active', source: 'DismissalExpired' } })],
  ])('is not announced for a dismissal %s', (_, object, decision) => {
    expect(rowOf(object, decision)).not.toHaveProperty('dismissalEnding');
  });
});
