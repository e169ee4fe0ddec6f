// Correction windows in a plan: which decisions they hold, whose windows count, and when the scope is reconciled again.
import { describe, expect, it } from 'vitest';

import type { PlanInput } from '../../../../src/operator/decide/decisions.ts';
import { plan, planActions } from '../../../../src/operator/decide/plan.ts';
import { alertEvents } from '../../../../src/operator/report/events.ts';
import { nextPolicyStatus } from '../../../../src/operator/report/policy-status.ts';
import type { CorrectionWindow } from '../../../../src/policy/generated/role-alert-policy.ts';
import {
  active,
  alert,
  alertName,
  allowed,
  at,
  damped,
  inactive,
  input,
  ledgerEntry,
  minuteMs,
  nowMs,
  planInput,
  policy,
  pendingWrite,
  throughCluster,
  workdays,
} from '../../../support/builders/objects.ts';

const hourMs = 60 * minuteMs;
const key = alertName.toLowerCase();
const off = alert({ isActive: false });
const never: CorrectionWindow = { ...workdays, schedule: '0 0 * * *', duration: '24h' };
const unknown: CorrectionWindow = { ...workdays, timeZone: 'Mars/Utopia' };
type Change = Parameters<typeof input>[0];

/** A policy that dismisses the alert, with these windows. */
const dismissing = (correctionWindows: readonly CorrectionWindow[] | undefined, change: Change = {}) =>
  input({
    ...change,
    spec: { alerts: [inactive({})], ...(correctionWindows && { correctionWindows }), ...change.spec },
  });
const through = (correctionWindows: readonly CorrectionWindow[]) => ({ grant: { ...allowed, correctionWindows } });

/** Of each own policy the result for its first alert, with the hours until its windows open. */
function said(change: Partial<PlanInput>): string[] {
  return plan(planInput(change)).policies.map(({ alerts: [row] }) => {
    const opens = row?.untilMs === undefined ? '' : ` ${(row.untilMs - nowMs) / hourMs}h`;
    return [row?.result, row?.reason].filter(Boolean).join('/') + opens;
  });
}

const sixHours = 'Held/WaitingForWindow 6h';
const ledger = [ledgerEntry()];
const waiting = { policies: [dismissing([workdays])] };
const sent = (change: Parameters<typeof pendingWrite>[0]) => new Map([[key, pendingWrite(change)]]);

describe('outside the correction windows', () => {
  it.each<[string, Partial<PlanInput>, string[]]>([
    ['of its policy a deactivation waits', waiting, [sixHours]],
    [
      'an activation does not wait',
      { policies: [input({ spec: { correctionWindows: [workdays] } })], alerts: [off] },
      ['Drifted'],
    ],
    [
      'an alert whose dismissal has ended does not wait',
      {
        policies: [dismissing([workdays], { spec: { alerts: [inactive({ until: at(-1) })] } })],
        alerts: [off],
        ledger: [ledgerEntry()],
      },
      ['Drifted'],
    ],
    ['a dismissed alert stays inactive', { ...waiting, alerts: [off], ledger }, ['InSync']],
    ['a sent deactivation is verified', { ...waiting, sent: sent({ isActive: false }) }, ['Pending/VerifyingWrite']],
    ['a full ledger counts first', { ...waiting, ledgerRoom: 0 }, ['Denied/LedgerFull']],
    ['the limit of the hour counts later', { ...waiting, deactivationsLeft: 0 }, [sixHours]],
  ])('%s', (_, change, expected) => {
    expect(said(change)).toEqual(expected);
    const drifted = expected.filter((text) => text === 'Drifted');
    expect(planActions(planInput(change))).toHaveLength(drifted.length);
  });

  it('windows that do not open soon, or cannot be read, are reported as such', () => {
    expect(said({ policies: [dismissing([never])] })).toEqual(['Held/NoWindowAhead']);
    expect(said({ policies: [dismissing([unknown])] })).toEqual(['Held/WindowInvalid']);
    const decision = (change: Partial<PlanInput>) => plan(planInput(change)).policies[0]?.alerts[0]?.invalidWindow;
    expect(decision({ policies: [dismissing([unknown])] })).toBe(
      'spec.correctionWindows[0].timeZone of policy team/owners',
    );
    expect(decision({ policies: [dismissing([], through([workdays, { ...workdays, schedule: '@daily' }]))] })).toBe(
      'spec.correctionWindows[1].schedule of connection team/prod',
    );
    expect(
      decision({ policies: [dismissing([], { ...through([unknown]), spec: { connectionRef: throughCluster } })] }),
    ).toBe('spec.correctionWindows[0].timeZone of ClusterRoleAlertConnection prod');
  });
});

it('the scope is reconciled again when the windows open', () => {
  const next = (windows: readonly CorrectionWindow[]) =>
    plan(planInput({ policies: [dismissing(windows)] })).nextChangeMs;
  expect(next([workdays])).toBe(nowMs + 6 * hourMs);
  const dismissalAnnounced = nowMs + 13 * 24 * hourMs;
  expect(next([never])).toBe(dismissalAnnounced);
  expect(next([unknown])).toBe(dismissalAnnounced);
});

describe('the status of a policy whose deactivation waits for windows', () => {
  const effective = { mode: 'Enforce', interval: '15m0s', scope: 'subscriptions/a' } as const;
  const base = { effective, connection: 'Connected' as const };
  const statusAt = (atMs: number, windows: readonly CorrectionWindow[], alerts = [alert()]) => {
    const policies = [
      dismissing(windows, { spec: { alerts: [inactive({ maxIncidents: 9, until: at(20 * 24 * hourMs) })] } }),
    ];
    const decision = plan(planInput({ policies, alerts, nowMs: atMs })).policies[0]!;
    const object = policies[0]!.policy;
    const status = nextPolicyStatus({
      ...base,
      policy: object,
      cause: { kind: 'listed', decision, corrections: [] },
      nowMs: atMs,
    });
    return { status, decision };
  };

  it('is announced once by an event, which is a warning only if they do not open', () => {
    const event = (windows: readonly CorrectionWindow[], previous = policy().status) => {
      const { status, decision } = statusAt(nowMs, windows);
      return alertEvents(previous, status, decision.alerts, []).map(({ type, reason }) => `${type} ${reason}`);
    };
    expect(event([workdays])).toEqual(['Normal WaitingForWindow']);
    expect(event([never])).toEqual(['Warning NoWindowAhead']);
    expect(event([unknown])).toEqual(['Warning WindowInvalid']);
    expect(event([workdays], statusAt(nowMs - 1, [workdays]).status)).toEqual([]);
  });

  it('is Stalled with the gravest of several causes', () => {
    const spec = { alerts: [inactive({}), { ...inactive({}), name: 'Other' }, { ...active, name: 'Third' }] };
    const policies = [dismissing([unknown], { spec })];
    const alerts = [alert(), alert({ name: 'Other' }), alert({ name: 'Third' })];
    const decision = plan(planInput({ policies, alerts, ...damped })).policies[0]!;
    const cause = { kind: 'listed' as const, decision, corrections: [] };
    const status = nextPolicyStatus({ ...base, policy: policies[0]!.policy, cause, nowMs });
    expect(status.conditions?.find(({ type }) => type === 'Stalled')?.message).toBe(
      'Alert Other: not deactivated, because spec.correctionWindows[0].timeZone of policy team/owners is not valid. Correct it, or remove the window.',
    );
  });
});
