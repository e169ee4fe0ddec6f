// When new incidents of an alert, and the end of its last one, are events.
import { describe, expect, it } from 'vitest';

import { summarizeIncidents } from '../../../../src/alerts/summary.ts';
import type { Alert } from '../../../../src/alerts/types.ts';
import type { AlertDecision } from '../../../../src/operator/decide/decisions.ts';
import { summarizeAlerts } from '../../../../src/operator/report/alert-status.ts';
import { alertEvents } from '../../../../src/operator/report/events.ts';
import type { AlertStatus, RoleAlertPolicyStatus } from '../../../../src/policy/generated/role-alert-policy.ts';
import { firing } from '../../../support/builders/objects.ts';

const active = { state: 'Active', source: 'Declared' } as const;
const inactive = { state: 'Inactive', source: 'DismissalHolds' } as const;

function decided(live: Alert | undefined, change: Partial<AlertDecision> = {}): AlertDecision {
  return { name: live?.name ?? 'A', want: active, alert: live, result: 'InSync', ...change };
}

function statusOf(decisions: readonly AlertDecision[], idLimit = 5): RoleAlertPolicyStatus {
  const rows = decisions.map(({ name, want, alert: live, result }) => ({
    name,
    want: want.state,
    result,
    live: live?.isActive === true ? 'Active' : 'Inactive',
    incidents: summarizeIncidents(live, idLimit),
  }));
  return { observedGeneration: 1, summary: summarizeAlerts(decisions), alerts: rows as unknown as AlertStatus[] };
}

function eventsOf(
  before: readonly AlertDecision[] | RoleAlertPolicyStatus | undefined,
  ...after: AlertDecision[]
): string[] {
  const previous = Array.isArray(before) ? statusOf(before) : (before as RoleAlertPolicyStatus | undefined);
  return alertEvents(previous, statusOf(after), after, []).map(
    ({ type, reason, note }) => `${type} ${reason}: ${note}`,
  );
}

const named = (name: string, ids: readonly string[], change: Partial<Alert> = {}) => firing(ids, { name, ...change });
const withIds = (ids: readonly string[], change: Partial<Alert> = {}) => decided(named('A', ids, change));
const dismissed = { ...withIds(['1']), want: inactive };
const nothing = { state: 'None', source: 'NotDeclared' } as const;
const oneNew = (details: string) =>
  `Warning IncidentsFound: New incidents on alert A (${details}). Handle them in the service.`;

describe('new incidents', () => {
  it.each<[string, string[]]>([
    ['when the total rises', eventsOf([withIds(['1'])], withIds(['1', '2', '3']))],
    ['when an unknown id replaces a known one', eventsOf([withIds(['1', '2', '3'])], withIds(['1', '2', '4']))],
    ['when a policy declares another alert', eventsOf([decided(named('B', []))], withIds(['1']))],
    [
      'when an alert that others deactivated is to be activated',
      eventsOf([withIds([])], { ...withIds(['1'], { isActive: false }), result: 'Drifted' }),
    ],
    ['when the service counts more than it lists', eventsOf([withIds([])], withIds(['1'], { incidentCount: 7 }))],
    [
      'when a declared dismissal is denied',
      eventsOf([withIds([])], { ...withIds(['1']), want: inactive, result: 'Denied', reason: 'LedgerFull' }),
    ],
  ])('are one event %s', (_, events) => {
    expect(events.filter((event) => event.startsWith('Warning IncidentsFound: '))).toHaveLength(1);
    expect(events.filter((event) => event.includes('Incidents'))).toHaveLength(1);
  });

  it.each<[string, string[]]>([
    ['whose ids differ in case only', eventsOf([withIds(['6F1C'])], withIds(['6f1c']))],
    ['that an incomplete list of ids may lack', eventsOf(statusOf([withIds(['1', '2'])], 1), withIds(['1', '3']))],
    ['when some are resolved', eventsOf([withIds(['1', '2'])], withIds(['2']))],
    ['that a dismissal covers', eventsOf([], { ...withIds(['1'], { isActive: false }), want: inactive })],
    ['while their dismissal is sent', eventsOf([], { ...dismissed, result: 'Pending', reason: 'VerifyingWrite' })],
    ['that the policy does not concern', eventsOf([], { ...withIds(['1']), want: nothing })],
    ['that the first list of a policy shows', eventsOf(undefined, withIds(['1']))],
    ['of an alert without a row', alertEvents(statusOf([]), statusOf([]), [withIds(['1'])], []).map(String)],
    ['of a missing alert', eventsOf([], decided(undefined, { result: 'InSync', want: inactive }))],
  ])('are no event %s', (_, events) => {
    expect(events.filter((event) => event.includes('Incidents'))).toEqual([]);
  });

  it('have their number, their total and the severity of the alert in the note', () => {
    expect(eventsOf([withIds(['1'])], withIds(['1', '2', '3']))).toEqual([oneNew('2 new, 3 in all, severity High')]);
    expect(eventsOf([withIds(['1'])], withIds(['2']))).toEqual([oneNew('1 new, 1 in all, severity High')]);
    const unknown = withIds(['1'], { severity: undefined });
    expect(eventsOf([], unknown)).toEqual([oneNew('1 new, 1 in all, severity unknown')]);
  });

  it.each([
    ['Low', 'Normal'],
    ['High', 'Warning'],
  ])('of severity %s are of type %s', (severity, type) => {
    expect(eventsOf([], withIds(['1'], { severity }))[0]?.split(' ')[0]).toBe(type);
  });
});

describe('the end of the last incident', () => {
  it('is one event', () => {
    expect(eventsOf([withIds(['1'])], withIds([]))).toEqual([
      'Normal IncidentsResolved: Alert A has no incidents any more.',
    ]);
  });

  it.each<[string, string[]]>([
    ['of a dismissed alert', eventsOf([withIds(['1'])], { ...withIds([], { isActive: false }), want: inactive })],
    ['of an alert that is no longer listed', eventsOf([withIds(['1'])], decided(undefined, { result: 'Missing' }))],
  ])('is no event %s', (_, events) => {
    expect(events.filter((event) => event.includes('Incidents'))).toEqual([]);
  });
});
