// The events of each transition, word for word where an alerting rule may match them; an unchanged state has no event.
import { describe, expect, it } from 'vitest';

import type { AlertDecision } from '../../../../src/operator/decide/decisions.ts';
import type { Correction } from '../../../../src/operator/decide/writes.ts';
import { factsOfConnection, type MessageFacts } from '../../../../src/operator/reasons/message-facts.ts';
import { conditionMessage, type Reason } from '../../../../src/operator/reasons/reasons.ts';
import { connectionEvent } from '../../../../src/operator/report/connection-status.ts';
import type { EventDraft } from '../../../../src/operator/report/event-draft.ts';
import { alertEvents, correctionEvents, droppedEvents } from '../../../../src/operator/report/events.ts';
import type { AlertStatus, RoleAlertPolicyStatus } from '../../../../src/policy/generated/role-alert-policy.ts';
import { alert, clusterNamespace, connection } from '../../../support/builders/objects.ts';

const said = ({ type, reason, action }: EventDraft) => `${type} ${reason} ${action}`;
const isActive = { state: 'Active', source: 'Declared' } as const;
const isInactive = { state: 'Inactive', source: 'DismissalHolds' } as const;

const decision = (change: Partial<AlertDecision>): AlertDecision => ({
  name: 'A',
  want: isActive,
  alert: alert({ name: 'A', isActive: false }),
  result: 'Drifted',
  ...change,
});
const statusWith = (...alerts: { name: string; result: string; want: string }[]): RoleAlertPolicyStatus => ({
  observedGeneration: 1,
  alerts: alerts as unknown as AlertStatus[],
});
const incidents = { total: 0 };
const row = ({ name, result, want }: AlertDecision) => ({ name, result, want: want.state, incidents });
const inSync = { name: 'A', result: 'InSync', want: 'Active', incidents };

const facts = { scope: 'subscriptions/a', connection: 'team/prod' };
const about = (alerts: string) => ({ ...facts, alerts });

/** The event of this type, reason and action, with the words of the condition about alert A. */
const shown = (text: string, more: MessageFacts = {}) =>
  `${text}: ${conditionMessage(text.split(' ')[1] as Reason, { ...about('Alert A'), ...more })}`;

/** The events when alert A, in sync until now, gets this decision. */
function events(change: Partial<AlertDecision>, before: RoleAlertPolicyStatus | undefined = statusWith(inSync)) {
  const decided = decision(change);
  return alertEvents(before, statusWith(row(decided)), [decided], [], facts);
}

describe('a new state of an alert', () => {
  it.each<[string, Partial<AlertDecision>, string]>([
    ['drifted', {}, 'Normal DriftDetected Reconcile: Alert A is inactive; its desired state is Active.'],
    [
      'active although dismissed',
      { want: isInactive, alert: alert({ name: 'A' }) },
      'Normal DriftDetected Reconcile: Alert A is active; its desired state is Inactive.',
    ],
    ['denied', { result: 'Denied', reason: 'LedgerFull', want: isInactive }, shown('Warning LedgerFull Deactivate')],
    [
      'owned by another policy',
      { result: 'Conflict', ownerKey: 'team/other' },
      'Warning ScopeConflict Reconcile: Policy team/other owns alert A and wants the opposite. Change one of the two policies.',
    ],
    [
      'refused by the service',
      { result: 'Failed', reason: 'CorrectionFailed', serviceCode: 'Nope' },
      shown('Warning CorrectionFailed Activate', { serviceCode: 'Nope' }),
    ],
  ])('%s emits one event', (_, change, expected) => {
    const [event, ...others] = events(change);
    expect(others).toEqual([]);
    expect(event && `${said(event)}: ${event.note}`).toBe(expected);
  });

  it.each<[string, Partial<AlertDecision>]>([
    ['as declared', { result: 'InSync' }],
    ['not declared', { result: 'Unmanaged' }],
    ['missing', { result: 'Missing' }],
    ['sent and not seen yet', { result: 'Pending' }],
  ])('%s emits no event', (_, change) => {
    expect(events(change, undefined)).toEqual([]);
  });

  it('emits an event once, and again when the desired state changes or the alert had no row', () => {
    expect(events({}, statusWith(row(decision({}))))).toEqual([]);
    expect(events({}, statusWith({ ...row(decision({})), want: 'Inactive' }))).toHaveLength(1);
    expect(events({}, statusWith({ ...row(decision({})), name: 'B' }))).toHaveLength(1);
    expect(events({}, undefined)).toHaveLength(1);
  });
});

describe('another reason for the same result', () => {
  const shown = (reason: string | undefined, change: Partial<AlertDecision>): RoleAlertPolicyStatus => ({
    ...statusWith(row(decision(change))),
    ...(reason !== undefined && {
      conditions: [
        { type: 'InSync', status: 'False', observedGeneration: 1, lastTransitionTime: '', reason, message: '' },
      ],
    }),
  });
  const eventsOf = (before: string | undefined, after: string, change: Partial<AlertDecision>) =>
    alertEvents(shown(before, change), shown(after, change), [decision(change)], []).map(({ reason }) => reason);
  const denied = { result: 'Denied', reason: 'DismissalTooLong', want: isInactive } as const;
  const failed = { result: 'Failed', reason: 'CorrectionFailed' } as const;
  const held = { result: 'Held', reason: 'Flapping', want: isInactive } as const;

  it('that the condition shows emits its event', () => {
    expect(eventsOf('DeactivationDenied', 'DismissalTooLong', denied)).toEqual(['DismissalTooLong']);
    expect(eventsOf('ServiceUnreachable', 'CorrectionFailed', failed)).toEqual(['CorrectionFailed']);
    expect(eventsOf('DeactivationLimited', 'Flapping', held)).toEqual(['Flapping']);
    expect(eventsOf('OutsideWindow', 'Flapping', held)).toEqual(['Flapping']);
    for (const reason of ['WindowInvalid', 'NoWindowAhead'] as const)
      expect(eventsOf('Flapping', reason, { ...held, reason })).toEqual([reason]);
  });

  it('emits none for an alert with another one, after another result, or without a condition', () => {
    expect(eventsOf('DismissalTooLong', 'DeactivationDenied', denied)).toEqual([]);
    expect(eventsOf('DismissalTooLong', 'DismissalTooLong', denied)).toEqual([]);
    expect(eventsOf('DeactivationDenied', 'CorrectionFailed', failed)).toEqual([]);
    expect(eventsOf(undefined, 'CorrectionFailed', failed)).toEqual([]);
    expect(eventsOf('Suspended', 'Flapping', held)).toEqual([]);
  });
});

it.each<[Correction['isActive'], Correction['cause'], string]>([
  [false, 'DismissalHolds', 'Warning AlertDeactivated Deactivate'],
  [true, 'DismissalExpired', 'Normal DismissalExpired Activate'],
  [true, 'NewIncidents', 'Warning NewIncidents Activate'],
  [true, 'DeclarationGone', 'Normal DeclarationGone Activate'],
  [true, 'Declared', 'Normal DriftCorrected Activate'],
  [true, 'Unlisted', 'Normal DriftCorrected Activate'],
])('a verified correction to active %s because of %s', (toActive, cause, expected) => {
  const correction: Correction = {
    alert: 'A',
    isActive: toActive,
    cause,
    policyKey: undefined,
    actor: 'User',
    seenAtMs: 0,
  };
  const [event, ...others] = correctionEvents([correction], 'subscriptions/a');
  expect([event && said(event), others]).toEqual([expected, []]);
  expect(event?.note).toMatch(/alert A\b/i);
  const all = alertEvents(
    statusWith(inSync),
    statusWith({ ...inSync, result: 'Drifted' }),
    [decision({})],
    [correction],
  );
  expect(all.map(({ reason }) => reason)).toEqual([event?.reason, 'DriftDetected']);
});

describe('several alerts of one reconcile', () => {
  const named = (name: string, change: Partial<AlertDecision> = {}): AlertDecision => decision({ name, ...change });
  const eventsOf = (...decisions: AlertDecision[]) =>
    alertEvents(statusWith(), statusWith(...decisions.map(row)), decisions, [], facts).map(
      (event) => `${said(event)}: ${event.note}`,
    );
  const correction = (name: string, cause: Correction['cause'] = 'Declared', toActive = true): Correction => ({
    alert: name,
    isActive: toActive,
    cause,
    policyKey: undefined,
    actor: 'User',
    seenAtMs: 0,
  });
  const notesOf = (...corrections: Correction[]) =>
    correctionEvents(corrections, 'subscriptions/a').map(({ note }) => note);

  const both = (change: Partial<AlertDecision>) => ['A', 'B'].map((name) => named(name, change));

  it('share one event for each reason, in the order of the reasons', () => {
    const [first, second] = [correction('A'), correction('B', 'DismissalHolds', false)];
    const all = alertEvents(undefined, statusWith(row(named('D'))), [named('D')], [first, second, correction('C')]);
    expect(all.map(({ reason }) => reason)).toEqual(['DriftCorrected', 'AlertDeactivated', 'DriftDetected']);
  });

  it.each<[string, AlertDecision[], string]>([
    [
      'denied',
      both({ result: 'Denied', reason: 'LedgerFull' }),
      conditionMessage('LedgerFull', about('Alerts A and B')),
    ],
    [
      'owned by one policy',
      both({ result: 'Conflict', ownerKey: 'x/y' }),
      'Policy x/y owns alerts A and B and wants the opposite. Change one of the two policies.',
    ],
    [
      'refused',
      both({ result: 'Failed', reason: 'CorrectionFailed', serviceCode: 'Nope' }),
      conditionMessage('CorrectionFailed', { ...about('Alerts A and B'), serviceCode: 'Nope' }),
    ],
  ])('read well: %s', (_, decisions, note) => {
    expect(eventsOf(...decisions)).toEqual([expect.stringContaining(`: ${note}`)]);
  });

  it.each<[Correction['isActive'], Correction['cause'], string]>([
    [false, 'DismissalHolds', 'Alerts A and B were deactivated under their dismissals; a list verified them.'],
    [
      true,
      'DismissalExpired',
      'The dismissals of alerts A and B ended; the alerts are active again. Extend `until`, or declare them Active.',
    ],
    [
      true,
      'DeclarationGone',
      'No policy declares granted dismissals of alerts A and B of scope subscriptions/a any more; the alerts are active again. Declare the dismissals again if they were to last; otherwise no action is needed.',
    ],
    [
      true,
      'NewIncidents',
      'Alerts A and B have incidents beyond the bounds of their dismissals; they are active again. Handle the incidents, or extend the dismissals.',
    ],
    [
      true,
      'Declared',
      'Alerts A and B were inactive (inferred actor: User) although their desired state is Active; they were activated, and a list verified them.',
    ],
  ])('read well: corrected to active %s because of %s', (toActive, cause, note) => {
    expect(notesOf(correction('A', cause, toActive), correction('B', cause, toActive))).toEqual([note]);
  });

  it('share a sentence only if it is true of all of them', () => {
    const dismissed = { want: isInactive, alert: alert({ name: 'B' }) };
    expect(eventsOf(named('A'), named('B', dismissed), named('C'))).toEqual([
      'Normal DriftDetected Reconcile: Alerts A and C are inactive; their desired state is Active. ' +
        'Alert B is active; its desired state is Inactive.',
    ]);
    expect(notesOf(correction('A'), { ...correction('B'), actor: 'Scan' })).toEqual([
      'Alert A was inactive (inferred actor: User) although its desired state is Active; it was activated, and a list verified it. ' +
        'Alert B was inactive (inferred actor: Scan) although its desired state is Active; it was activated, and a list verified it.',
    ]);
  });

  it('are named in order, up to five and a count', () => {
    const names = ['G', 'F', 'E', 'D', 'C', 'B', 'A'];
    const listed = (count: number) =>
      notesOf(...names.slice(-count).map((name) => correction(name)))[0]?.split(' were')[0];
    expect([3, 5, 6, 7].map(listed)).toEqual([
      'Alerts A, B and C',
      'Alerts A, B, C, D and E',
      'Alerts A, B, C, D, E and 1 more',
      'Alerts A, B, C, D, E and 2 more',
    ]);
  });

  it('that were corrected more than once say how often', () => {
    const [once, twice] = [notesOf(correction('A')), notesOf(correction('A'), correction('A'))].flat();
    expect(twice).toBe(once?.replace('Alert A was', 'Alert A (2 times) was'));
  });

  it('are fewer by name when the note would be longer than 1,024 bytes', () => {
    const long = (name: string) => correction(name.padEnd(256, '語'));
    const [note = ''] = notesOf(...['A', 'B', 'C', 'D'].map(long));
    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1024);
    expect(note).toMatch(/^Alerts A語+ and 3 more were /);
    const shorter = notesOf(...['A', 'B', 'C', 'D', 'E'].map((name) => correction(name.padEnd(220, 'x'))))[0] ?? '';
    expect(shorter).toMatch(/^Alerts Ax+, Bx+, Cx+ and 2 more were /);
    const full = notesOf(...['A', 'B', 'C', 'D'].map((name) => correction(name.padEnd(219, 'x'))))[0] ?? '';
    expect(full).toMatch(/^Alerts Ax+, Bx+, Cx+ and Dx+ were /);
    expect(Buffer.byteLength(full)).toBeLessThanOrEqual(1024);
  });

  it('whose dismissals are dropped share an event for each scope', () => {
    const [event, ...others] = droppedEvents([
      { alert: 'B', scope: 's/1' },
      { alert: 'A', scope: 's/1' },
    ]);
    expect([event && said(event), others]).toEqual(['Warning DismissalDropped Reconcile', []]);
    expect(event?.note).toBe(
      'The service has not listed alerts A and B of scope s/1 for a day; their dismissals are no longer recorded. Declare the state Active in a policy, in case the service lists it again as inactive.',
    );
  });
});

describe('scanning', () => {
  const coverage = (status: 'True' | 'False', conditionType = 'Coverage'): RoleAlertPolicyStatus => ({
    observedGeneration: 1,
    conditions: [
      { type: conditionType, status, lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'Scanning', message: '' },
    ],
  });
  const eventsOf = (before: RoleAlertPolicyStatus | undefined, after: RoleAlertPolicyStatus) =>
    alertEvents(before, after, [], []).map(said);

  it('emits one event when it is disabled', () => {
    const warning = ['Warning ScanningDisabled Reconcile'];
    expect(eventsOf(coverage('True'), coverage('False'))).toEqual(warning);
    expect(eventsOf(undefined, coverage('False'))).toEqual(warning);
    expect(eventsOf(coverage('False'), coverage('False'))).toEqual([]);
    expect(eventsOf(coverage('False'), coverage('True'))).toEqual([]);
    expect(eventsOf(undefined, coverage('False', 'Ready'))).toEqual([]);
  });
});

describe('the health of a connection', () => {
  it('ends with the last error, because the condition names only one of a closed set of causes', () => {
    const error = 'The service could not be reached: the host name cannot be resolved.';
    const event = connectionEvent('Connected', 'Unreachable', connection(), { clusterNamespace, error });
    expect(event?.note).toBe(
      `${conditionMessage('Unreachable', factsOfConnection(connection(), clusterNamespace))} Last error: ${error}`,
    );
  });

  it.each([
    [undefined, 'Connected', undefined],
    [undefined, 'Throttled', undefined],
    ['Connected', 'Throttled', undefined],
    ['Unreachable', 'CircuitOpen', undefined],
    ['CircuitOpen', 'Unreachable', undefined],
    ['CircuitOpen', 'Throttled', 'Normal ConnectionRestored Connect'],
    ['Unreachable', 'Unauthorized', 'Warning Unauthorized Connect'],
    ['SecretNotFound', 'SecretNotAllowed', 'Warning SecretNotAllowed Connect'],
    ['SecretNotFound', 'SecretNotFound', undefined],
    [undefined, 'Unreachable', 'Warning Unreachable Connect'],
    ['Connected', 'Unauthorized', 'Warning Unauthorized Connect'],
    ['Throttled', 'Unreachable', 'Warning Unreachable Connect'],
    ['Unreachable', 'Connected', 'Normal ConnectionRestored Connect'],
    ['Unauthorized', 'Throttled', 'Normal ConnectionRestored Connect'],
  ] as const)('from %s to %s: %s', (before, after, expected) => {
    const event = connectionEvent(before, after, connection(), { clusterNamespace });
    expect(event && said(event)).toBe(expected);
  });
});
