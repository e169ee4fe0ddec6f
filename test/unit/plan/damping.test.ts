// What holds a deactivation or a repetition back, and for how long: damping by the status, the connection's hour, and alerts that keep
// being turned off.
import { describe, expect, it } from 'vitest';

import { plan } from '../../../src/plan/plan.ts';
import { nextPolicyStatus } from '../../../src/plan/status.ts';
import type { PlanInput } from '../../../src/plan/types.ts';
import type { AlertStatus } from '../../../src/policy/generated/role-alert-policy.ts';
import { requestedAtAnnotation } from '../../../src/policy/resources.ts';
import { alert, alertName, inactive, input, intervalMs, minuteMs, nowMs, planInput } from '../../support/plan-input.ts';

const hourMs = 60 * minuteMs;
const iso = (ms: number) => new Date(ms).toISOString();

const row = (change: Partial<AlertStatus> = {}): AlertStatus => ({
  name: alertName,
  want: 'Inactive',
  live: 'Inactive',
  state: 'Quiet',
  result: 'InSync',
  scanning: 'Enabled',
  incidents: { total: 0 },
  ...change,
});

/** A dismissing policy that was decided, with what its status remembers. */
const dismissing = (deactivations: AlertStatus['deactivations'], change: Parameters<typeof input>[0] = {}) =>
  input({
    spec: { alerts: [inactive({ maxIncidents: 5 })] },
    status: { observedGeneration: 1, alerts: [row({ ...(deactivations && { deactivations }) })] },
    ...change,
  });

const turnedOff = (count: number, agoMs: number) => ({ windowStart: iso(nowMs - agoMs), count });

function decided(change: Partial<PlanInput>): string {
  const { actions, policies, nextChangeMs } = plan(planInput(change));
  const { result, reason } = policies[0]?.alerts[0] ?? {};
  const wakes = nextChangeMs === undefined ? '' : ` in ${Math.round((nextChangeMs - nowMs) / minuteMs)} min`;
  return `${result}${reason ? `/${reason}` : ''}, ${actions.length} PATCH${wakes}`;
}

describe('damping', () => {
  const active = [alert({ isActive: true })];
  it.each<[string, Partial<PlanInput>, string]>([
    ['lets the first one through', { policies: [dismissing(undefined)] }, 'Drifted, 1 PATCH in 0 min'],
    ['lets two more through', { policies: [dismissing(turnedOff(2, hourMs))] }, 'Drifted, 1 PATCH in 0 min'],
    [
      'holds the fourth until the window ends',
      { policies: [dismissing(turnedOff(3, hourMs))] },
      'Held/Flapping, 0 PATCH in 300 min',
    ],
    [
      'begins a new window afterwards',
      { policies: [dismissing(turnedOff(3, 6 * hourMs))] },
      'Drifted, 1 PATCH in 0 min',
    ],
    [
      'forgets a window that a wrong clock began',
      { policies: [dismissing(turnedOff(3, -hourMs))] },
      'Drifted, 1 PATCH in 0 min',
    ],
    [
      'lets one through after a change of the spec',
      { policies: [dismissing(turnedOff(3, hourMs), { metadata: { generation: 2 } })] },
      'Drifted, 1 PATCH in 0 min',
    ],
    [
      'lets one through after a poke',
      {
        policies: [dismissing(turnedOff(3, hourMs), { metadata: { annotations: { [requestedAtAnnotation]: 'now' } } })],
      },
      'Drifted, 1 PATCH in 0 min',
    ],
    [
      'never holds what turns an alert on',
      {
        policies: [dismissing(turnedOff(9, hourMs), { spec: { alerts: [{ name: alertName, state: 'Active' }] } })],
        alerts: [alert({ isActive: false })],
      },
      'Drifted, 1 PATCH in 0 min',
    ],
  ])('%s', (_sentence, change, expected) => {
    expect(decided({ alerts: active, ...change })).toBe(expected);
  });

  it('counts what was seen turned off, and begins anew after the window', () => {
    const correction = {
      alert: alertName,
      isActive: false,
      cause: 'DismissalHolds',
      policyKey: 'team/owners',
      actor: 'User',
    } as const;
    const countAfter = (deactivations: AlertStatus['deactivations']) => {
      const { policy } = dismissing(deactivations);
      const [decision] = plan(
        planInput({ policies: [dismissing(deactivations)], alerts: [alert({ isActive: false })] }),
      ).policies;
      if (!decision) throw new Error('nothing was decided');
      const outcome = { kind: 'looked' as const, decision, corrections: [correction] };
      const effective = { mode: 'Enforce', interval: '15m0s', scope: 'subscriptions/a' } as const;
      return nextPolicyStatus({ policy, outcome, effective, connection: 'Connected', nowMs }).alerts?.[0]
        ?.deactivations;
    };
    const now = iso(nowMs).replace('.000Z', 'Z');
    expect(countAfter(undefined)).toEqual({ windowStart: now, count: 1 });
    expect(countAfter(turnedOff(2, hourMs))).toEqual({ windowStart: iso(nowMs - hourMs), count: 3 });
    expect(countAfter(turnedOff(3, 7 * hourMs))).toEqual({ windowStart: now, count: 1 });
  });
});

describe("the connection's deactivations of an hour", () => {
  const two = input({
    spec: { alerts: [inactive({ maxIncidents: 5 }), { ...inactive({ maxIncidents: 5 }), name: 'Other' }] },
  });
  const alerts = [alert({ isActive: true }), alert({ name: 'Other', isActive: true })];
  it('lets as many through as are left, and holds the others until the oldest is an hour old', () => {
    const { actions, policies, nextChangeMs } = plan(
      planInput({ policies: [two], alerts, deactivationsLeft: 1, nextDeactivationMs: nowMs + 20 * minuteMs }),
    );
    expect(actions.map(({ alert: name }) => name)).toEqual(['Other']);
    expect(policies[0]?.alerts.map(({ result, reason }) => `${result}/${reason}`)).toEqual([
      'Drifted/undefined',
      'Held/DeactivationLimited',
    ]);
    expect(nextChangeMs).toBeLessThanOrEqual(nowMs + 20 * minuteMs);
  });

  it('holds none that turns on', () => {
    const off = [alert({ isActive: false })];
    expect(decided({ alerts: off, deactivationsLeft: 0 })).toBe('Drifted, 1 PATCH in 0 min');
  });
});

describe('an alert that somebody keeps turning off', () => {
  const off = [alert({ isActive: false })];
  const seen = (count: number, agoMs: number) => ({
    alerts: off,
    repeats: new Map([[alertName.toLowerCase(), { count, lastMs: nowMs - agoMs }]]),
  });
  it.each<[string, Partial<PlanInput>, string]>([
    ['is turned on at once when it is the first time', { alerts: off }, 'Drifted, 1 PATCH in 0 min'],
    ['waits a second for the first repetition', seen(1, 500), 'Held/CorrectionUndone, 0 PATCH in 0 min'],
    ['goes on after it', seen(1, 1000), 'Drifted, 1 PATCH in 0 min'],
    ['waits twice as long each time', seen(9, 200_000), 'Held/CorrectionUndone, 0 PATCH in 1 min'],
    ['never waits longer than the interval', seen(30, intervalMs), 'Drifted, 1 PATCH in 0 min'],
    ['does not wait for a clock that stepped back', seen(30, -hourMs), 'Drifted, 1 PATCH in 0 min'],
  ])('%s', (_sentence, change, expected) => {
    expect(decided(change)).toBe(expected);
  });
});
