// Which events a transition has, word by word where a rule of alerting may rest on them, and that what stays as it was has none.
import { describe, expect, it } from 'vitest';

import { connectionEvent } from '../../../src/plan/connection-status.ts';
import { correctionEvent, droppedEvent, type EventDraft, policyEvents } from '../../../src/plan/events.ts';
import type { Correction } from '../../../src/plan/memory.ts';
import { conditionMessage } from '../../../src/plan/reasons.ts';
import type { AlertDecision } from '../../../src/plan/types.ts';
import type { AlertStatus, RoleAlertPolicyStatus } from '../../../src/policy/generated/role-alert-policy.ts';
import { alert } from '../../support/builders/objects.ts';

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
const row = ({ name, result, want }: AlertDecision) => ({ name, result, want: want.state });
const inSync = { name: 'A', result: 'InSync', want: 'Active' };

/** What is said when alert A, in sync until now, is decided like this. */
function events(change: Partial<AlertDecision>, before: RoleAlertPolicyStatus | undefined = statusWith(inSync)) {
  const decided = decision(change);
  return policyEvents(before, statusWith(row(decided)), [decided], []);
}

describe('a new state of an alert', () => {
  it.each<[string, Partial<AlertDecision>, string]>([
    [
      'inactive although declared active',
      {},
      'Normal DriftDetected Reconcile: Alert A is inactive and is declared active.',
    ],
    [
      'active although dismissed',
      { want: isInactive, alert: alert({ name: 'A' }) },
      'Normal DriftDetected Reconcile: Alert A is active and is declared inactive.',
    ],
    [
      'denied',
      { result: 'Denied', reason: 'LedgerFull', want: isInactive },
      `Warning AccessDenied Deactivate: Alert A is not turned off. ${conditionMessage('LedgerFull')}`,
    ],
    ['denied without a reason', { result: 'Denied' }, 'Warning AccessDenied Activate: Alert A is not turned off.'],
    [
      'owned by another policy',
      { result: 'Conflict', ownerKey: 'team/other' },
      'Warning ScopeConflict Reconcile: Policy team/other owns alert A and wants the opposite.',
    ],
    [
      'held because it keeps being turned on',
      { result: 'Held', reason: 'Flapping', want: isInactive },
      'Warning FlappingHeld Deactivate: Alert A keeps being turned on; it is not turned off again for now.',
    ],
    [
      'refused by the service',
      { result: 'Failed', reason: 'CorrectionFailed', serviceCode: 'Nope' },
      'Warning CorrectionFailed Activate: The correction of alert A failed (Nope).',
    ],
    [
      'not corrected because the service was away',
      { result: 'Failed', reason: 'ServiceUnreachable', want: isInactive },
      'Warning CorrectionFailed Deactivate: The correction of alert A failed.',
    ],
    [
      'not seen corrected',
      { result: 'Failed', reason: 'WriteNotVerified' },
      'Warning WriteNotVerified Activate: The correction of alert A was accepted but is not seen.',
    ],
  ])('%s is told', (_, change, expected) => {
    const [event, ...others] = events(change);
    expect(others).toEqual([]);
    expect(event && `${said(event)}: ${event.note}`).toBe(expected);
  });

  it.each<[string, Partial<AlertDecision>]>([
    ['as declared', { result: 'InSync' }],
    ['not declared', { result: 'Unmanaged' }],
    ['missing', { result: 'Missing' }],
    ['sent and not seen yet', { result: 'Pending' }],
    ['held for the hour', { result: 'Held', reason: 'DeactivationLimited' }],
  ])('%s is none to tell', (_, change) => {
    expect(events(change, undefined)).toEqual([]);
  });

  it('is told of an alert whose row no longer fits, and not again while it has none', () => {
    expect(policyEvents(statusWith(inSync), statusWith(), [decision({})], [])).toHaveLength(1);
    expect(policyEvents(statusWith(), statusWith(), [decision({})], [])).toEqual([]);
    expect(policyEvents(undefined, statusWith(), [decision({})], [])).toEqual([]);
  });

  it('is told once, again when something else is wanted, and not of a row that did not fit', () => {
    expect(events({}, statusWith(row(decision({}))))).toEqual([]);
    expect(events({}, statusWith({ ...row(decision({})), want: 'Inactive' }))).toHaveLength(1);
    expect(events({}, statusWith({ ...row(decision({})), name: 'B' }))).toHaveLength(1);
    expect(events({}, undefined)).toHaveLength(1);
  });
});

describe('a correction that was seen', () => {
  it.each<[Correction['isActive'], Correction['cause'], string]>([
    [false, 'DismissalHolds', 'Warning AlertDeactivated Deactivate'],
    [true, 'DismissalExpired', 'Normal DismissalExpired Activate'],
    [true, 'NewIncidents', 'Warning NewIncidents Activate'],
    [true, 'DeclarationGone', 'Normal DismissalExpired Activate'],
    [true, 'Declared', 'Normal DriftCorrected Activate'],
    [true, 'Unlisted', 'Normal DriftCorrected Activate'],
  ])('to active %s because of %s', (toActive, cause, expected) => {
    const correction: Correction = {
      alert: 'A',
      isActive: toActive,
      cause,
      policyKey: undefined,
      actor: 'User',
      seenAtMs: 0,
    };
    expect(said(correctionEvent(correction))).toBe(expected);
    expect(correctionEvent(correction).note).toMatch(/alert A\b/i);
    const all = policyEvents(
      statusWith(inSync),
      statusWith({ ...inSync, result: 'Drifted' }),
      [decision({})],
      [correction],
    );
    expect(all.map(({ reason }) => reason)).toEqual([correctionEvent(correction).reason, 'DriftDetected']);
  });
});

it('an entry of the ledger that is dropped is told with its alert and its scope', () => {
  const event = droppedEvent({ alert: 'A', scope: 'subscriptions/a' });
  expect(said(event)).toBe('Warning DismissalDropped Reconcile');
  expect(event.note).toContain('alert A of subscriptions/a');
});

describe('scanning', () => {
  const coverage = (status: 'True' | 'False', conditionType = 'Coverage'): RoleAlertPolicyStatus => ({
    observedGeneration: 1,
    conditions: [
      { type: conditionType, status, lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'Scanning', message: '' },
    ],
  });
  const told = (before: RoleAlertPolicyStatus | undefined, after: RoleAlertPolicyStatus) =>
    policyEvents(before, after, [], []).map(said);

  it('that was disabled is told once', () => {
    const warning = ['Warning ScanningDisabled Reconcile'];
    expect(told(coverage('True'), coverage('False'))).toEqual(warning);
    expect(told(undefined, coverage('False'))).toEqual(warning);
    expect(told(coverage('False'), coverage('False'))).toEqual([]);
    expect(told(coverage('False'), coverage('True'))).toEqual([]);
    expect(told(undefined, coverage('False', 'Ready'))).toEqual([]);
  });
});

describe('the health of a connection', () => {
  it.each([
    [undefined, 'Connected', undefined],
    [undefined, 'Throttled', undefined],
    ['Connected', 'Throttled', undefined],
    ['Unreachable', 'Unauthorized', undefined],
    [undefined, 'Unreachable', 'Warning ConnectionLost Connect'],
    ['Connected', 'Unauthorized', 'Warning ConnectionLost Connect'],
    ['Throttled', 'Unreachable', 'Warning ConnectionLost Connect'],
    ['Unreachable', 'Connected', 'Normal ConnectionRestored Connect'],
    ['Unauthorized', 'Throttled', 'Normal ConnectionRestored Connect'],
  ] as const)('from %s to %s: %s', (before, after, expected) => {
    const event = connectionEvent(before, after);
    expect(event && said(event)).toBe(expected);
  });
});
