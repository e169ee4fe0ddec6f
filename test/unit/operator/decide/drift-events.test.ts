// The events of drift: what was found, and which class of actor probably caused it.
import { describe, expect, it } from 'vitest';

import type { AlertDecision } from '../../../../src/operator/decide/decisions.ts';
import type { Correction } from '../../../../src/operator/decide/writes.ts';
import { alertEvents } from '../../../../src/operator/report/events.ts';
import type {
  AlertStatus,
  LastDrift,
  RoleAlertPolicyStatus,
} from '../../../../src/policy/generated/role-alert-policy.ts';
import { alert, inSyncRow } from '../../../support/builders/objects.ts';

const decision = (change: Partial<AlertDecision> = {}): AlertDecision => ({
  name: 'A',
  want: { state: 'Active', source: 'Declared' },
  alert: alert({ name: 'A', isActive: false }),
  result: 'Drifted',
  ...change,
});
const dismissed = { want: { state: 'Inactive', source: 'DismissalHolds' }, alert: alert({ name: 'A' }) } as const;
const row = (change: Partial<AlertStatus> = {}): AlertStatus => ({ ...inSyncRow('A'), ...change });
const drift = (change: Partial<LastDrift> = {}): LastDrift => ({
  at: '2026-06-01T12:00:00Z',
  actorClass: 'User',
  direction: 'Deactivated',
  ...change,
});
const statusOf = (alerts: AlertStatus | undefined): RoleAlertPolicyStatus => ({
  observedGeneration: 1,
  alerts: alerts ? [alerts] : [],
});
const eventsOf = (
  before: AlertStatus | undefined,
  after: AlertStatus,
  decided = decision(),
  corrections: Correction[] = [],
): string[] =>
  alertEvents(statusOf(before), statusOf(after), [decided], corrections).map(
    ({ type, reason, note }) => `${type} ${reason}: ${note}`,
  );

const drifted = row({ live: 'Inactive', result: 'Drifted', lastDrift: drift() });
const verified = row({ lastDrift: drift({ at: '2026-06-01T12:00:05Z' }) });
const byOthers = (actor: string) =>
  `Warning DeactivatedByOthers: Another client deactivated alert A (inferred actor: ${actor}); its desired state is Active. Find out which client, or declare a dismissal.`;

describe('a deactivation by others', () => {
  it.each(['User', 'Scan'] as const)('is one warning with the class of the actor: %s', (actorClass) => {
    expect(eventsOf(row(), { ...drifted, lastDrift: drift({ actorClass }) })).toEqual([byOthers(actorClass)]);
  });

  it('is a warning when the dismissal of an alert that this operator did not deactivate ends', () => {
    expect(eventsOf(row({ want: 'Inactive', live: 'Inactive' }), drifted)).toEqual([byOthers('User')]);
  });

  it.each<[string, string[]]>([
    ['lasts', eventsOf(drifted, drifted)],
    ['is corrected later', eventsOf(drifted, verified, decision({ result: 'InSync' }))],
    [
      'was by the operator itself',
      eventsOf(row(), row({ lastDrift: drift({ actorClass: 'Self' }) }), decision({ result: 'InSync' })),
    ],
    [
      'was an activation',
      eventsOf(row(), row({ lastDrift: drift({ direction: 'Activated' }) }), decision({ result: 'InSync' })),
    ],
  ])('is no event when it %s', (_, events) => {
    expect(events).toEqual([]);
  });
});

describe('another drift', () => {
  it('of the first list is no warning, because the alert may never have been active', () => {
    expect(eventsOf(undefined, drifted)).toEqual([
      'Normal DriftDetected: Alert A is inactive (inferred actor: User); its desired state is Active.',
    ]);
  });

  it('names the class of the actor that activated a dismissed alert', () => {
    const after = row({
      want: 'Inactive',
      result: 'Drifted',
      lastDrift: drift({ direction: 'Activated', actorClass: 'Key' }),
    });
    expect(eventsOf(row({ want: 'Inactive', live: 'Inactive' }), after, decision(dismissed))).toEqual([
      'Normal DriftDetected: Alert A is active (inferred actor: Key); its desired state is Inactive.',
    ]);
  });

  it('says why it is not corrected when the policy only observes', () => {
    const observed = decision({ result: 'Drifted', reason: 'ObserveOnly' });
    expect(eventsOf(undefined, drifted, observed)).toEqual([
      `Normal DriftDetected: Alert A is inactive (inferred actor: User); its desired state is Active. Drift is not corrected, because spec.mode is Observe or the operator runs with --read-only. To have drift corrected, set spec.mode to Enforce, or start the operator without --read-only.`,
    ]);
  });
});

describe('a verified deactivation', () => {
  const correction: Correction = {
    alert: 'A',
    isActive: false,
    cause: 'DismissalHolds',
    policyKey: 'team/owners',
    actor: 'Application',
    seenAtMs: 0,
  };
  const quiet = row({ want: 'Inactive', live: 'Inactive' });
  const notesOf = (before: AlertStatus) => eventsOf(before, quiet, decision({ result: 'InSync' }), [correction]);

  it('names the class of the actor that had activated the dismissed alert, and none when the dismissal begins', () => {
    expect(notesOf(quiet)).toEqual([
      'Warning AlertDeactivated: Alert A was active (inferred actor: Application) although it is dismissed; it was deactivated, and a list verified it.',
    ]);
    expect(notesOf(row())).toEqual([
      'Warning AlertDeactivated: Alert A was deactivated under its dismissal; a list verified it.',
    ]);
  });
});
