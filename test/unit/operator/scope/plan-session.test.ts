// What is asked again in the tick of a send: the list, the entry in the ledger, the objects as they are now, and the plan for that alert.
import { beforeEach, describe, expect, it } from 'vitest';

import type { Alert } from '../../../../src/alerts/types.ts';
import { wallOffsetMs } from '../../../../src/lib/clock.ts';
import { CodedError } from '../../../../src/lib/errors.ts';
import { ConnectionRuntime } from '../../../../src/operator/connection/runtime.ts';
import type { Action, Plan } from '../../../../src/operator/decide/decisions.ts';
import type { ScopeState } from '../../../../src/operator/decide/scope-state.ts';
import type { PendingWrite } from '../../../../src/operator/decide/writes.ts';
import { PolicyIndex } from '../../../../src/operator/queue/policy-index.ts';
import { gather, type Known, type ReconcileContext, type TimedList } from '../../../../src/operator/scope/gather.ts';
import { PlanSession, type RecordedDismissal } from '../../../../src/operator/scope/plan-session.ts';
import type { DismissalRecord } from '../../../../src/policy/generated/role-alert-connection.ts';
import type { RoleAlertConnection, RoleAlertPolicy } from '../../../../src/policy/resources.ts';
import { namespacedName, scopeRefOf } from '../../../../src/policy/scope-ref.ts';
import { active, alert, alertName, connection, firing, minuteMs, policy } from '../../../support/builders/objects.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const scope = 'subscriptions/a';
const freshMs = 5000;
const longestEntryMs = 90_000;
const intervalMs = 15 * minuteMs;

class Rig {
  readonly clock = new ManualClock();
  readonly policyIndex = new PolicyIndex();
  readonly policies = new Map<string, RoleAlertPolicy>();
  readonly connections = new Map<string, RoleAlertConnection>();
  ledger: DismissalRecord[] = [];
  deactivationsLeft = 10;
  readonly counted: string[] = [];
  readonly context: ReconcileContext;

  constructor() {
    const ref = { connection: 'team/prod', scope };
    const statusWriter = {
      ledger: {
        patchAccepted: () => undefined,
        recordsOf: () => this.ledger,
        unprovenBy: () => new Set(),
        size: 0,
        bytes: 0,
      },
      refreshSoon: () => undefined,
      deactivationsFor: (_: string, except: object | undefined) => ({
        deactivationsLeft: this.deactivationsLeft + (except ? 1 : 0),
        deactivationsByNamespace: undefined,
        nextDeactivationMs: undefined,
        recentDeactivations: new Map(),
      }),
    };
    const { clock } = this;
    const runtime = new ConnectionRuntime({
      key: 'team/prod',
      statusWriter,
      clock,
      workQueue: {},
      clientFactory: {},
      demand: { invalidate: () => undefined },
    } as never);
    const deps = {
      policyIndex: this.policyIndex,
      cluster: { policies: this.policies, connections: this.connections, namespaces: new Map() },
      clock,
      defaultIntervalMs: intervalMs,
      isReadOnly: false,
      observer: { correctionSeen: (...facts: string[]) => this.counted.push(facts.join(' ')) },
    };
    this.context = { deps, runtime, ref } as unknown as ReconcileContext;
    this.put(connection());
  }

  put(...objects: (RoleAlertPolicy | RoleAlertConnection)[]): this {
    for (const object of objects) {
      if (object.kind === 'RoleAlertConnection') {
        this.connections.set(namespacedName(object), object);
      } else {
        this.policies.set(namespacedName(object), object);
        this.policyIndex.setPolicy(namespacedName(object), scopeRefOf(object));
      }
    }
    return this;
  }

  gathered(): Known {
    return gather(this.context.deps, this.context.runtime, this.context.ref) as Known;
  }

  /** With its first plan. */
  session(alerts = [firing(['a'])], pages = 1): PlanSession {
    const session = new PlanSession({ context: this.context, gathered: this.gathered() }, this.list(alerts, pages));
    session.plan();
    return session;
  }

  /** A list that begins now. */
  list(alerts: readonly Alert[] = [], pages = 1): TimedList {
    return {
      list: { alerts: [...alerts], pages },
      begunMs: this.clock.monotonic(),
      offsetMs: wallOffsetMs(this.clock),
    };
  }

  get state(): ScopeState {
    return this.context.runtime.state(scope);
  }

  sent(write: PendingWrite): void {
    this.context.runtime.step(scope, { kind: 'Sent', alert: alertName, write });
  }

  entered(): RecordedDismissal {
    this.ledger = [entry(alertName)];
    const record = { at: '2026-01-01T00:00:00Z', namespace: 'team', scope, alert: alertName };
    return { atMs: this.clock.monotonic(), cancel: () => undefined, sent: { record, sentMs: 0 } };
  }
}

const entry = (name: string) => ({ scope, alert: name, policy: 'team/owners', since: '2025-12-31T00:00:00Z' });
/** Holds while the alert has no other incident than `a`. */
const dismissal = (name: string = alertName) => ({
  name,
  state: 'Inactive' as const,
  dismissal: { reason: 'tracked in SEC-1182', incidents: ['a'] },
});
const quiet = (...names: string[]) => policy({ spec: { alerts: names.map((name) => dismissal(name)) } });

/** What keeps an action from being sent; undefined when nothing does. */
function reasonOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof CodedError && error.code === 'plan-outdated') return error.detail;
    throw error;
  }
}

function planOf({ latest }: PlanSession): Plan {
  if (!latest) throw new Error('nothing is planned');
  return latest.plan;
}

function only(session: PlanSession): Action {
  const [action, ...more] = planOf(session).actions;
  if (!action || more.length > 0) throw new Error(`${planOf(session).actions.length} actions`);
  return action;
}

let rig: Rig;
beforeEach(() => (rig = new Rig()));

describe('a list', () => {
  it('is fresh for five seconds from its beginning, one that was made for the send from its end', () => {
    const session = rig.put(quiet(alertName)).session();
    rig.clock.jump(freshMs);
    expect(session.isFresh).toBe(true);
    rig.clock.jump(1);
    expect(session.isFresh).toBe(false);
    session.plan();
    expect(session.isFresh).toBe(false);
    const list = rig.list([], 3);
    rig.clock.jump(1000);
    session.plan(list, rig.clock.monotonic());
    rig.clock.jump(freshMs);
    expect([session.isFresh, session.pages]).toEqual([true, 3]);
    rig.clock.jump(1);
    expect(session.isFresh).toBe(false);
    session.plan(list);
    expect(session.isFresh).toBe(false);
  });
});

describe('an action', () => {
  it('is sent while nothing has changed', () => {
    const session = rig.put(quiet(alertName)).session();
    const action = only(session);
    expect(reasonOf(() => session.check(action))).toBeUndefined();
    expect(reasonOf(() => session.checkRecorded(action, rig.entered()))).toBeUndefined();
  });

  it.each<[string, (rig: Rig) => void, string]>([
    ['the connection is gone', ({ connections }) => connections.clear(), 'the connection has changed'],
    [
      'the connection has another spec',
      (now) => now.put(changed(connection(), { generation: 2 })),
      'the connection has changed',
    ],
    [
      'the connection was re-created',
      (now) => now.put(changed(connection(), { uid: 'new' })),
      'the connection has changed',
    ],
    [
      'the connection is being deleted',
      (now) => now.put(changed(connection(), deleting)),
      'the connection has changed',
    ],
    ['the policy is gone', ({ policies }) => policies.clear(), 'the policy has changed'],
    [
      'the policy has another spec',
      (now) => now.put(changed(quiet(alertName), { generation: 2 })),
      'the policy has changed',
    ],
    [
      'the policy was re-created',
      (now) => now.put(changed(quiet(alertName), { uid: 'new' })),
      'the policy has changed',
    ],
    ['the policy is being deleted', (now) => now.put(changed(quiet(alertName), deleting)), 'the policy has changed'],
    ['an older policy wants it active', (now) => now.put(older), 'nothing declares it any more'],
    ['an older policy wants the same', (now) => now.put(same), 'nothing declares it any more'],
    ['the hour has no place left', (now) => (now.deactivationsLeft = 0), 'nothing declares it any more'],
  ])('is planned again when %s', (_, change, reason) => {
    const session = rig.put(quiet(alertName)).session();
    const action = only(session);
    change(rig);
    expect(reasonOf(() => session.check(action))).toBe(reason);
  });

  it('is planned again when its policy was not there to be planned from', () => {
    const session = rig.put(quiet(alertName)).session();
    const action = { ...only(session), policyKey: 'team/late' };
    rig.put(changed(quiet(alertName), { name: 'late' }));
    expect(reasonOf(() => session.check(action))).toBe('the policy has changed');
  });

  it('that activates is sent also when another policy wants it by now', () => {
    const session = rig.put(policy()).session([alert({ isActive: false })]);
    const action = only(session);
    rig.put(policy({ name: 'older', createdAt: '2024-01-01T00:00:00Z', spec: { alerts: [active] } }));
    expect(reasonOf(() => session.check(action))).toBeUndefined();
    rig.policies.clear();
    expect(reasonOf(() => session.check(action))).toBe('nothing declares it any more');
  });
});

describe('a deactivation that is entered', () => {
  it('has its own place in the hour', () => {
    const session = rig.put(quiet(alertName)).session();
    const action = only(session);
    rig.deactivationsLeft = 0;
    expect(reasonOf(() => session.checkRecorded(action, rig.entered()))).toBeUndefined();
    rig.deactivationsLeft = -1;
    expect(reasonOf(() => session.checkRecorded(action, rig.entered()))).toBe('nothing declares it any more');
  });

  it('is not sent on a list that is too old', () => {
    const session = rig.put(quiet(alertName)).session();
    const entered = rig.entered();
    rig.clock.jump(freshMs);
    expect(reasonOf(() => session.checkRecorded(only(session), entered))).toBeUndefined();
    rig.clock.jump(1);
    expect(reasonOf(() => session.checkRecorded(only(session), entered))).toBe('the list is too old');
  });

  it('is not sent ninety seconds after its entry', () => {
    const session = rig.put(quiet(alertName)).session();
    const entered = rig.entered();
    rig.clock.jump(longestEntryMs);
    session.plan(rig.list([firing(['a'])]));
    const action = only(session);
    expect(reasonOf(() => session.checkRecorded(action, entered))).toBeUndefined();
    rig.clock.jump(1);
    expect(reasonOf(() => session.checkRecorded(action, entered))).toBe('the entry is too old');
  });

  it('is not sent when the ledger has no entry of that alert any more', () => {
    const session = rig.put(quiet(alertName)).session();
    const entered = rig.entered();
    rig.ledger = [entry('Another')];
    expect(reasonOf(() => session.checkRecorded(only(session), entered))).toBe('the ledger has no entry');
    rig.ledger = [entry('Another'), entry(alertName.toUpperCase())];
    expect(reasonOf(() => session.checkRecorded(only(session), entered))).toBeUndefined();
  });
});

const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const old = '2024-01-01T00:00:00Z';
const older = policy({ name: 'older', createdAt: old });
const same = policy({ name: 'same', createdAt: old, spec: { alerts: [dismissal()] } });

function changed<T extends RoleAlertPolicy | RoleAlertConnection>(object: T, metadata: object): T {
  return { ...object, metadata: { ...object.metadata, ...metadata } };
}
