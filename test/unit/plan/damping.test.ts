// The limits that hold a deactivation or a repetition back, and for how long: damping by the status, the connection's hour, and alerts that keep
// being deactivated.
import { describe, expect, it } from 'vitest';

import { withDeactivation } from '../../../src/plan/damping.ts';
import type { PlanInput } from '../../../src/plan/plan-input.ts';
import { plan } from '../../../src/plan/plan.ts';
import { nextPolicyStatus } from '../../../src/plan/status.ts';
import type { AlertStatus, RoleAlertPolicyStatus } from '../../../src/policy/generated/role-alert-policy.ts';
import { requestedAtAnnotation, type RoleAlertPolicy } from '../../../src/policy/resources.ts';
import {
  alert,
  alertName,
  inactive,
  input,
  intervalMs,
  minuteMs,
  nowMs,
  planInput,
  sentWrite,
} from '../../support/builders/objects.ts';

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

const deactivated = (count: number, agoMs: number) => ({ windowStart: iso(nowMs - agoMs), count });

function decided(change: Partial<PlanInput>): string {
  const { actions, policies, nextChangeMs } = plan(planInput(change));
  const { result, reason } = policies[0]?.alerts[0] ?? {};
  const wakes = nextChangeMs === undefined ? '' : ` in ${Math.round((nextChangeMs - nowMs) / minuteMs)} min`;
  return `${result}${reason ? `/${reason}` : ''}, ${actions.length} PATCH${wakes}`;
}

const refusal = { kind: 'Refused', serviceCode: undefined, retryAtMs: nowMs - 1 } as const;

describe('damping', () => {
  const active = [alert({ isActive: true })];
  it.each<[string, Partial<PlanInput>, string]>([
    ['lets the first one through', { policies: [dismissing(undefined)] }, 'Drifted, 1 PATCH in 0 min'],
    ['lets two more through', { policies: [dismissing(deactivated(2, hourMs))] }, 'Drifted, 1 PATCH in 0 min'],
    [
      'holds the fourth until the window ends',
      { policies: [dismissing(deactivated(3, hourMs))] },
      'Held/Flapping, 0 PATCH in 300 min',
    ],
    [
      'begins a new window afterwards',
      { policies: [dismissing(deactivated(3, 6 * hourMs))] },
      'Drifted, 1 PATCH in 0 min',
    ],
    [
      'forgets a window that a wrong clock began',
      { policies: [dismissing(deactivated(3, -hourMs))] },
      'Drifted, 1 PATCH in 0 min',
    ],
    [
      'lets one through after a change of the spec',
      { policies: [dismissing(deactivated(3, hourMs), { metadata: { generation: 2 } })] },
      'Drifted, 1 PATCH in 0 min',
    ],
    [
      'lets one through after a reconcile request',
      {
        policies: [
          dismissing(deactivated(3, hourMs), { metadata: { annotations: { [requestedAtAnnotation]: 'now' } } }),
        ],
      },
      'Drifted, 1 PATCH in 0 min',
    ],
    [
      'lets none through for a handled reconcile request, however long it is',
      {
        policies: [
          dismissing(deactivated(3, hourMs), {
            metadata: { annotations: { [requestedAtAnnotation]: 'x'.repeat(300) } },
            status: {
              observedGeneration: 1,
              lastHandledReconcileAt: 'x'.repeat(256),
              alerts: [row({ deactivations: deactivated(3, hourMs) })],
            },
          }),
        ],
      },
      'Held/Flapping, 0 PATCH in 300 min',
    ],
    [
      'never holds what turns an alert on',
      {
        policies: [dismissing(deactivated(9, hourMs), { spec: { alerts: [{ name: alertName, state: 'Active' }] } })],
        alerts: [alert({ isActive: false })],
      },
      'Drifted, 1 PATCH in 0 min',
    ],
  ])('%s', (_sentence, change, expected) => {
    expect(decided({ alerts: active, ...change })).toBe(expected);
  });

  const key = `uid-owners ${alertName.toLowerCase()}`;
  const remembered = (count: number, request = '1 '): PlanInput['damping'] =>
    new Map([[key, { ...deactivated(count, hourMs), request }]]);
  const edited = { metadata: { generation: 2 } };
  /** Another alert is being verified; its conditions speak of this generation. */
  const verifyingAt = (observedGeneration: number): RoleAlertPolicyStatus => ({
    observedGeneration: 1,
    conditions: [
      {
        type: 'InSync',
        status: 'Unknown',
        reason: 'VerifyingWrite',
        message: '',
        observedGeneration,
        lastTransitionTime: iso(nowMs),
      },
    ],
    alerts: [row({ deactivations: deactivated(3, hourMs) })],
  });

  it.each<[string, Partial<PlanInput>, string]>([
    [
      'counts what was sent and no status says yet',
      { policies: [dismissing(deactivated(2, hourMs))], damping: remembered(3) },
      'Held/Flapping, 0 PATCH in 300 min',
    ],
    [
      'counts what was sent after another writer removed the status',
      { policies: [dismissing(undefined, { status: { observedGeneration: -1 } })], damping: remembered(3) },
      'Held/Flapping, 0 PATCH in 300 min',
    ],
    [
      'forgets what another policy of that name sent',
      { policies: [dismissing(undefined, { metadata: { uid: 'another' } })], damping: remembered(3) },
      'Drifted, 1 PATCH in 0 min',
    ],
    [
      'lets one through for a change of the spec that nothing was sent for yet',
      { policies: [dismissing(deactivated(3, hourMs), edited)], damping: remembered(3) },
      'Drifted, 1 PATCH in 0 min',
    ],
    [
      'lets no second one through for it while the policy is still undecided',
      { policies: [dismissing(deactivated(4, hourMs), edited)], damping: remembered(4, '2 ') },
      'Held/Flapping, 0 PATCH in 300 min',
    ],
    [
      'lets no second one through for it after a restart, once a status speaks of the change',
      { policies: [dismissing(undefined, { ...edited, status: verifyingAt(2) })] },
      'Held/Flapping, 0 PATCH in 300 min',
    ],
    [
      'lets one through for a change that no list could be had for yet',
      { policies: [dismissing(undefined, { ...edited, status: verifyingAt(1) })] },
      'Drifted, 1 PATCH in 0 min',
    ],
    [
      'lets one through for a request that follows the change',
      {
        policies: [
          dismissing(deactivated(4, hourMs), {
            metadata: { generation: 2, annotations: { [requestedAtAnnotation]: 'now' } },
          }),
        ],
        damping: remembered(4, '2 '),
      },
      'Drifted, 1 PATCH in 0 min',
    ],
    [
      'holds by the memory of another spelling',
      { policies: [dismissing(deactivated(3, hourMs))], alerts: [alert({ name: alertName.toUpperCase() })] },
      'Held/Flapping, 0 PATCH in 300 min',
    ],
    [
      'says that the service refuses them where it does',
      {
        policies: [dismissing(deactivated(3, hourMs))],
        sent: new Map([[alertName.toLowerCase(), sentWrite({ isActive: false, failure: refusal })]]),
      },
      'Failed/CorrectionFailed, 0 PATCH in 300 min',
    ],
  ])('%s', (_sentence, change, expected) => {
    expect(decided({ alerts: active, ...change })).toBe(expected);
  });

  it('holds every policy that wants the alert inactive, by what its owner sent', () => {
    const owner = dismissing(deactivated(3, hourMs), { name: 'a', createdAt: '2025-01-01T00:00:00Z' });
    const { policies, actions } = plan(planInput({ policies: [dismissing(undefined), owner], alerts: active }));
    expect(policies.map(({ alerts }) => alerts[0]?.reason)).toEqual(['Flapping', 'Flapping']);
    expect(actions).toEqual([]);
  });

  it('does not hold a policy by what another one sends', () => {
    const other = dismissing(deactivated(3, hourMs), { name: 'z', createdAt: '2026-02-01T00:00:00Z' });
    const { policies, actions } = plan(planInput({ policies: [dismissing(undefined), other], alerts: active }));
    expect(policies.map(({ alerts }) => alerts[0]?.reason)).toEqual([undefined, undefined]);
    expect(actions).toMatchObject([{ isActive: false, policyKey: 'team/owners' }]);
  });

  it.each([
    ['a short', 'now', 'now'],
    ['a long', 'x'.repeat(300), 'x'.repeat(256)],
    ['a long one with a pair of surrogates at its cut', `${'x'.repeat(255)}\u{1f6a8} and more`, 'x'.repeat(255)],
  ])('%s request that was handled lets nothing more through', (_, requested, echoed) => {
    const metadata = { annotations: { [requestedAtAnnotation]: requested } };
    const handled = { observedGeneration: 1, lastHandledReconcileAt: echoed };
    const row3 = row({ deactivations: deactivated(3, hourMs) });
    const policies = [dismissing(undefined, { metadata, status: { ...handled, alerts: [row3] } })];
    expect(decided({ alerts: active, policies })).toBe('Held/Flapping, 0 PATCH in 300 min');
    expect(statusOf(policies[0]!.policy, active).lastHandledReconcileAt).toBe(echoed);
  });
});

function statusOf(policy: RoleAlertPolicy, alerts: PlanInput['alerts'], damping: PlanInput['damping'] = new Map()) {
  const policies = [input({ spec: policy.spec, metadata: policy.metadata, status: policy.status })];
  const [decision] = plan(planInput({ policies, alerts, damping })).policies;
  if (!decision) throw new Error('nothing was decided');
  const outcome = { kind: 'listed' as const, decision, corrections: [] };
  const effective = { mode: 'Enforce', interval: '15m0s', scope: 'subscriptions/a' } as const;
  return nextPolicyStatus({ policy, outcome, effective, connection: 'Connected', damping, nowMs });
}

describe("damping's memory", () => {
  const { policy } = dismissing(deactivated(2, hourMs));
  const memoryIn = (status: RoleAlertPolicyStatus) =>
    status.alerts?.find(({ name }) => name.toLowerCase() === alertName.toLowerCase())?.deactivations;
  const now = iso(nowMs).replace('.000Z', 'Z');

  it('counts each deactivation that is sent, and begins anew after the window', () => {
    const countAfter = (deactivations: AlertStatus['deactivations']) => {
      const before = dismissing(deactivations).policy;
      const memory = withDeactivation(new Map(), before, alertName.toUpperCase(), nowMs);
      return memoryIn(statusOf(before, [alert({ isActive: true })], memory));
    };
    expect(countAfter(undefined)).toEqual({ windowStart: now, count: 1 });
    expect(countAfter(deactivated(2, hourMs))).toEqual({ windowStart: iso(nowMs - hourMs), count: 3 });
    expect(countAfter(deactivated(3, 7 * hourMs))).toEqual({ windowStart: now, count: 1 });
  });

  it('counts on while no status says it', () => {
    const once = withDeactivation(new Map(), policy, alertName, nowMs);
    const twice = withDeactivation(once, policy, alertName, nowMs);
    expect(memoryIn(statusOf(policy, [alert()], twice))?.count).toBe(4);
  });

  it('drops windows that no policy can still have open', () => {
    const old = withDeactivation(new Map(), policy, 'Old', nowMs - 168 * hourMs);
    expect(withDeactivation(old, policy, alertName, nowMs).size).toBe(1);
    const young = withDeactivation(new Map(), policy, 'Young', nowMs - 168 * hourMs + 1000);
    expect(withDeactivation(young, policy, alertName, nowMs).size).toBe(2);
  });

  it.each([
    ['the service spells the alert otherwise', policy, [alert({ name: alertName.toUpperCase() })]],
    ['the service does not list the alert', policy, []],
    ['the policy no longer declares the alert', { ...policy, spec: { ...policy.spec, alerts: [] } }, [alert()]],
    ['both', { ...policy, spec: { ...policy.spec, alerts: [] } }, []],
  ])('stays in the status while %s', (_, object, alerts) => {
    const status = statusOf(object, alerts);
    expect(memoryIn(status)?.count).toBe(2);
    expect(memoryIn(statusOf({ ...object, status }, alerts))?.count).toBe(2);
  });

  it('goes with the window when nothing else is said of the alert', () => {
    const over = dismissing(deactivated(2, 6 * hourMs), { spec: { alerts: [] } }).policy;
    expect(statusOf(over, []).alerts).toEqual([]);
  });

  const guarding = { unlisted: { state: 'Active', minSeverity: 'Low' } } as const;
  const named = (name: string) => ({ ...inactive({ maxIncidents: 5 }), name });

  it('stays beside more alerts than a status has rows, before rows that are only declared or guarded', () => {
    const before = dismissing(deactivated(2, hourMs), {
      spec: { alerts: [named(alertName), named('Zz')], ...guarding },
    });
    const others = Array.from({ length: 300 }, (_, index) => alert({ name: `A${index}` }));
    const status = statusOf(before.policy, [...others, alert(), alert({ name: 'Zz' })]);
    expect(status.alerts).toHaveLength(128);
    expect(memoryIn(status)?.count).toBe(2);
    expect(status.alerts?.some(({ name }) => name === 'Zz')).toBe(true);
  });

  it('stays in a status that is cut to its size, for as many alerts as a policy may declare', () => {
    const long = (index: number) => `Zz${String(index).padStart(254, '0')}`;
    const declared = Array.from({ length: 64 }, (_, index) => named(long(index)));
    const rows = declared.map(({ name }) => row({ name, deactivations: deactivated(2, hourMs) }));
    const before = dismissing(undefined, {
      spec: { alerts: declared, ...guarding },
      status: { observedGeneration: 1, alerts: rows },
    });
    const severity = '語'.repeat(250);
    const others = Array.from({ length: 64 }, (_, index) => alert({ name: `${severity}${index}`, severity }));
    const status = statusOf(before.policy, [...others, ...declared.map(({ name }) => alert({ name, severity }))]);
    expect(new TextEncoder().encode(JSON.stringify(status)).length).toBeLessThan(65_536);
    expect(status.alerts?.filter(({ deactivations }) => deactivations?.count === 2)).toHaveLength(64);
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

  it('holds none that activates', () => {
    const off = [alert({ isActive: false })];
    expect(decided({ alerts: off, deactivationsLeft: 0 })).toBe('Drifted, 1 PATCH in 0 min');
  });
});

describe('an alert that others keep deactivating', () => {
  const off = [alert({ isActive: false })];
  const seen = (count: number, agoMs: number) => ({
    alerts: off,
    activationBackoffs: new Map([[alertName.toLowerCase(), { count, lastMs: nowMs - agoMs }]]),
  });
  it.each<[string, Partial<PlanInput>, string]>([
    ['is activated at once when it is the first time', { alerts: off }, 'Drifted, 1 PATCH in 0 min'],
    ['waits a second for the first repetition', seen(1, 500), 'Held/CorrectionUndone, 0 PATCH in 0 min'],
    ['continues after it', seen(1, 1000), 'Drifted, 1 PATCH in 0 min'],
    ['waits twice as long each time', seen(9, 200_000), 'Held/CorrectionUndone, 0 PATCH in 1 min'],
    ['never waits longer than the interval', seen(30, intervalMs), 'Drifted, 1 PATCH in 0 min'],
    ['does not wait for a clock that stepped back', seen(30, -hourMs), 'Drifted, 1 PATCH in 0 min'],
  ])('%s', (_sentence, change, expected) => {
    expect(decided(change)).toBe(expected);
  });

  it.each([
    [2, undefined],
    [3, true],
  ])('is marked from the third activation in a row on: after %i %s', (count, isUndone) => {
    const on = { ...seen(count, intervalMs), alerts: [alert({ isActive: true })] };
    expect(plan(planInput(on)).policies[0]?.alerts[0]?.isUndone).toBe(isUndone);
  });
});
