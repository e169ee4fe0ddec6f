// The probable actor of a drift, and when a status reports it.
import { describe, expect, it } from 'vitest';

import type { AlertDecision } from '../../../../src/operator/decide/decisions.ts';
import { attributeDrift, nextDrift } from '../../../../src/operator/decide/drift.ts';
import type { Correction } from '../../../../src/operator/decide/writes.ts';
import type { AlertStatus } from '../../../../src/policy/generated/role-alert-policy.ts';
import { alert, alertName, minuteMs, nowMs } from '../../../support/builders/objects.ts';

describe('the actor of a drift', () => {
  const times = (modified: number, scanned: number, system?: number) => ({
    modifiedAtMs: nowMs + modified,
    scannedAtMs: nowMs + scanned,
    systemModifiedAtMs: system === undefined ? undefined : nowMs + system,
  });
  it.each([
    ['the class that systemData names', alert({ lastActor: 'User' }), false, 'User'],
    ['an unknown actor', alert(), false, 'Unknown'],
    ['a scan, when systemData is older', alert({ lastActor: 'User', ...times(0, 0, -minuteMs) }), false, 'Scan'],
    ['a person after the scan', alert({ lastActor: 'User', ...times(0, 0, minuteMs) }), false, 'User'],
    ['a person, when the scan was long ago', alert({ lastActor: 'Key', ...times(0, -minuteMs) }), false, 'Key'],
    ['the operator, when the ledger has it', alert({ isActive: false, lastActor: 'Application' }), true, 'Self'],
    ['not the operator, when it was activated', alert({ lastActor: 'Application' }), true, 'Application'],
    ['a scan, when its times are two seconds apart', alert({ lastActor: 'User', ...times(0, 2000) }), false, 'Scan'],
    ['a person, when they are more apart', alert({ lastActor: 'User', ...times(2001, 0) }), false, 'User'],
    ['a person, without a time of a scan', alert({ lastActor: 'User', modifiedAtMs: nowMs }), false, 'User'],
    ['a person, without a time of a change', alert({ lastActor: 'User', scannedAtMs: nowMs }), false, 'User'],
  ])('%s', (_sentence, found, isDeactivatedByOperator, actor) => {
    expect(attributeDrift(found, isDeactivatedByOperator)).toBe(actor);
  });
});

describe('the last drift', () => {
  const decision = (want: 'Active' | 'Inactive', isActive: boolean): AlertDecision => ({
    name: alertName,
    want: { state: want, source: want === 'Active' ? 'Declared' : 'DismissalHolds' },
    alert: alert({ isActive, lastActor: 'User' }),
    result: 'Drifted',
  });
  const ended = (change: Partial<AlertDecision>): AlertDecision => ({
    ...decision('Active', false),
    want: { state: 'Active', source: 'DismissalExpired' },
    ...change,
  });
  const [on, off] = [decision('Active', true), decision('Active', false)];
  const [undone, quiet] = [decision('Inactive', true), decision('Inactive', false)];
  const ours = ended({ isDeactivatedByOperator: true });
  const denied = { state: 'Inactive', source: 'DismissalHolds', denial: 'DeactivationDenied' } as const;
  const silenced = { want: 'Inactive', live: 'Inactive' } as const;
  const known = { at: 'then', actorClass: 'Key', direction: 'Deactivated' } as const;
  const corrected = {
    alert: alertName,
    isActive: true,
    cause: 'Declared',
    policyKey: 'team/owners',
    actor: 'Scan',
    seenAtMs: nowMs,
  } as const;
  const deactivated = { ...corrected, isActive: false, cause: 'DismissalHolds' } as const;
  /** What the next status says after a row that was active as it was declared, but for this change. */
  const said = (now: AlertDecision, before: Partial<AlertStatus> | undefined, ...corrections: Correction[]) => {
    const last = before && ({ want: 'Active', live: 'Active', ...before } as AlertStatus);
    const drift = nextDrift(now, last, corrections, nowMs);
    return drift && `${drift.direction} by ${drift.actorClass}`;
  };

  it.each<[string, string | undefined, string | undefined]>([
    [
      'is none when the alert has become active as it was declared before',
      said(undone, { live: 'Inactive' }),
      undefined,
    ],
    ['is reported when it is found', said(off, {}), 'Deactivated by User'],
    ['names the actor that made the correction necessary', said(on, {}, corrected), 'Deactivated by Scan'],
    ['stays while the drift lasts', said(off, { live: 'Inactive', lastDrift: known }), 'Deactivated by Key'],
    ['is none when a dismissal of ours has ended', said(ours, silenced), undefined],
    ['is reported when others deactivate after a dismissal has ended', said(ended({}), {}), 'Deactivated by User'],
    ['is none when a dismissal begins', said(undone, {}), undefined],
    ['is reported when a dismissed alert was activated', said(undone, silenced), 'Activated by User'],
    [
      'stays when the policy wants nothing of the alert',
      said({ ...off, want: { state: 'None', source: 'NotDeclared' } }, { lastDrift: known }),
      'Deactivated by Key',
    ],
    [
      'is reported when an alert of ours that is declared active is inactive',
      said({ ...off, isDeactivatedByOperator: true }, { live: 'Missing' }),
      'Deactivated by User',
    ],
    [
      'stays when an alert is active whose dismissal is not granted',
      said({ ...undone, want: denied }, { ...silenced, lastDrift: known }),
      'Deactivated by Key',
    ],
    [
      'stays when an alert is active that another policy won',
      said({ ...undone, result: 'Conflict' }, { ...silenced, lastDrift: known }),
      'Deactivated by Key',
    ],
    [
      'is attributed to others when they activated what we dismissed',
      said({ ...undone, isDeactivatedByOperator: true }, silenced),
      'Activated by User',
    ],
    [
      'is none after the correction at the end of a dismissal',
      said(on, {}, { ...corrected, cause: 'DismissalExpired' }),
      undefined,
    ],
    [
      'is reported by the correction of a dismissed alert that was activated',
      said(quiet, silenced, deactivated),
      'Activated by Scan',
    ],
    [
      'is none after the first deactivation of a dismissal',
      said(quiet, { want: 'Inactive', live: 'Active' }, deactivated),
      undefined,
    ],
    [
      'is reported anew when the opposite state is wanted now',
      said(off, { ...silenced, lastDrift: known }),
      'Deactivated by User',
    ],
    ['is reported without an earlier status', said(off, undefined), 'Deactivated by User'],
  ])('%s', (_sentence, drift, expected) => {
    expect(drift).toBe(expected);
  });
});
