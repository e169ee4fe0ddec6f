// The status of a connection as it is written: once for whatever was asked for meanwhile, again when it failed, and never under
// another object's name.
import { describe, expect, it } from 'vitest';

import type { CodedError } from '../../../../src/lib/errors.ts';
import { silentLogger } from '../../../../src/lib/log.ts';
import { ConnectionStatusWriter } from '../../../../src/operator/connection/status-writer.ts';
import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import type { ClusterPort, Observer } from '../../../../src/operator/ports.ts';
import { conditionMessage } from '../../../../src/operator/reasons/reasons.ts';
import type { Load } from '../../../../src/operator/report/capacity.ts';
import { ledgerRoom } from '../../../../src/operator/report/connection-status.ts';
import type { RoleAlertConnection } from '../../../../src/policy/resources.ts';
import { alertName, connection, prodFields } from '../../../support/builders/objects.ts';
import { ManualClock } from '../../../support/rigs/manual-clock.ts';

const second = 1000;
const entry = { scope: 'subscriptions/a', alert: alertName, policy: 'team/owners' };

class Rig {
  readonly clock = new ManualClock();
  /** As the caches hold it; undefined once it is gone. */
  object: RoleAlertConnection | undefined = connection();
  /** As the API server has it, where that is later. */
  fresh: RoleAlertConnection | undefined;
  readonly tries: { readonly atMs: number; readonly version: string; readonly dismissals: number }[] = [];
  /** What the next writes fail with. */
  failures: CodedError[] = [];
  /** Awaited by every write. */
  duringWrite: () => Promise<void> = async () => undefined;
  policies = 1;
  load: Load = { intervalMs: 900_000, requests: 1 };
  /** Reasons of the events. */
  readonly events: string[] = [];
  /** Kinds of the statuses that were counted as written. */
  readonly counted: string[] = [];
  /** `NAMESPACE/NAME` of each read at the API server. */
  readonly reads: string[] = [];
  readonly signals = new Set<AbortSignal>();
  readonly errors: string[] = [];
  readonly infos: object[] = [];
  readonly finalizers: (readonly string[])[] = [];
  readonly statusWriter: ConnectionStatusWriter;

  constructor(object = connection()) {
    this.object = object;
    const connections = {
      get: () => this.object,
      list: () => [],
      remember: (stored: RoleAlertConnection) => {
        if (this.object) this.object = stored;
      },
    };
    this.statusWriter = new ConnectionStatusWriter({
      key: 'team/prod',
      cluster: {
        connections,
        readConnection: async (namespace: string, name: string, signal: AbortSignal) => {
          this.reads.push(`${namespace}/${name}`);
          this.signals.add(signal);
          return this.fresh ?? this.object;
        },
        replaceConnectionStatus: this.#replace.bind(this),
        replaceFinalizers: this.#replaceFinalizers.bind(this),
      } as unknown as ClusterPort,
      clock: this.clock,
      log: {
        ...silentLogger,
        error: (_: object, message: string) => void this.errors.push(message),
        info: (facts: object) => void this.infos.push(facts),
      },
      observer: { statusWritten: (kind: string) => this.counted.push(kind) } as unknown as Observer,
      events: { record: ({ reason }) => void this.events.push(reason) },
      counts: () => ({ policies: this.policies, scopes: 1, namespaces: 0, loads: [this.load], isFirstRound: false }),
      health: () => ({ health: 'Connected' }),
      triedGeneration: () => 1,
      dampingWindowMsAt: () => 0,
    });
    this.statusWriter.loadLedger(object);
  }

  async #replaceFinalizers(object: RoleAlertConnection, finalizers: readonly string[]): Promise<RoleAlertConnection> {
    const failure = this.failures.shift();
    if (failure) throw failure;
    this.finalizers.push(finalizers);
    const { metadata } = object;
    return {
      ...object,
      metadata: { ...metadata, finalizers, resourceVersion: `${Number(metadata.resourceVersion) + 1}` },
    };
  }

  async #replace(
    object: RoleAlertConnection,
    status: NonNullable<RoleAlertConnection['status']>,
    signal: AbortSignal,
  ): Promise<RoleAlertConnection> {
    const { resourceVersion } = object.metadata;
    this.signals.add(signal);
    this.tries.push({
      atMs: this.clock.monotonic(),
      version: resourceVersion,
      dismissals: status.dismissals?.length ?? 0,
    });
    await this.duringWrite();
    const failure = this.failures.shift();
    if (failure) throw failure;
    return { ...object, status, metadata: { ...object.metadata, resourceVersion: `${Number(resourceVersion) + 1}` } };
  }
}

const away = () => new KubeError('kube-unreachable', 'away');
const conflict = () => new KubeError('kube-conflict', 'changed');

describe('a connection status', () => {
  it('is written once, and not again while nothing is new', async () => {
    const rig = new Rig();
    await rig.statusWriter.write();
    await rig.statusWriter.write();
    expect(rig.tries).toHaveLength(1);
    rig.policies = 2;
    await rig.statusWriter.write();
    expect(rig.object?.status).toMatchObject({ policies: 2, observedGeneration: 1 });
    expect([rig.tries.length, rig.counted]).toEqual([2, ['connection', 'connection']]);
  });

  it('is logged condition by condition once it is written', async () => {
    const rig = new Rig();
    rig.failures = [conflict()];
    await rig.statusWriter.write();
    const ready = { type: 'Ready', status: 'True', reason: 'Connected', message: 'The service answers.' };
    const message = conditionMessage('BudgetSufficient', { needed: 4, allowed: 3600 });
    const capacity = { type: 'Capacity', status: 'True', reason: 'BudgetSufficient', message };
    expect(rig.infos).toEqual([ready, capacity].map((facts) => ({ ...prodFields, ...facts })));
    rig.policies = 2;
    await rig.statusWriter.write();
    expect(rig.infos).toHaveLength(2);
  });

  it('that says the rate limit is too small, or suffices again, is announced once', async () => {
    const rig = new Rig();
    await rig.statusWriter.write();
    expect(rig.events).toEqual([]);
    for (const requests of [901, 902, 900, 899, 1000]) {
      rig.load = { intervalMs: 900_000, requests };
      await rig.statusWriter.write();
    }
    expect(rig.events).toEqual(['BudgetTooSmall', 'BudgetSufficient', 'BudgetTooSmall']);
    const restarted = new Rig(rig.object);
    restarted.load = rig.load;
    await restarted.statusWriter.write();
    expect([restarted.tries, restarted.events]).toEqual([[], []]);
  });

  it('is written by one at a time; callers in between share the next write', async () => {
    const rig = new Rig();
    const { promise, resolve } = Promise.withResolvers<void>();
    rig.duringWrite = () => promise;
    const first = rig.statusWriter.write();
    rig.policies = 2;
    const others = [rig.statusWriter.write(), rig.statusWriter.write()];
    await rig.clock.advance(0);
    expect(rig.tries).toHaveLength(1);
    resolve();
    await Promise.all([first, ...others]);
    expect(rig.tries).toHaveLength(2);
    expect(rig.object?.status?.policies).toBe(2);
  });

  it('that meets a conflict is written over what the API server has, five times at most', async () => {
    const rig = new Rig();
    rig.fresh = { ...connection(), metadata: { ...connection().metadata, resourceVersion: '7' } };
    rig.failures = [conflict()];
    await rig.statusWriter.write();
    expect(rig.tries.map(({ version }) => version)).toEqual(['1', '7']);
    expect([rig.reads, rig.counted]).toEqual([['team/prod'], ['connection']]);
    rig.policies = 2;
    rig.failures = Array.from({ length: 9 }, conflict);
    await expect(rig.statusWriter.write()).rejects.toMatchObject({ code: 'kube-conflict' });
    expect(rig.tries).toHaveLength(7);
    await rig.statusWriter.stop();
    for (const signal of rig.signals) expect(signal.aborted).toBe(true);
  });

  it('that fails is written later, after 1 s, 2 s, 4 s and so on up to 30 s, from the beginning once it worked', async () => {
    const rig = new Rig();
    rig.failures = Array.from({ length: 8 }, away);
    rig.statusWriter.refresh();
    await rig.clock.advance(200 * second);
    const times = rig.tries.map(({ atMs }) => atMs / second);
    expect(times.slice(1).map((time, index) => time - times[index]!)).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
    expect(rig.object?.status?.policies).toBe(1);
    rig.policies = 2;
    rig.failures = [away()];
    const beforeMs = rig.clock.monotonic();
    rig.statusWriter.refresh();
    await rig.clock.advance(60 * second);
    expect(rig.tries.slice(-2).map(({ atMs }) => (atMs - beforeMs) / second)).toEqual([0, 1]);
  });

  it('is not written for an object that is gone, or that another one has taken the name of', async () => {
    const rig = new Rig();
    rig.failures = [away()];
    rig.statusWriter.refresh();
    await rig.clock.advance(0);
    rig.object = { ...connection(), metadata: { ...connection().metadata, uid: 'another' } };
    await rig.clock.advance(600 * second);
    await expect(rig.statusWriter.write()).rejects.toMatchObject({ code: 'object-missing' });
    rig.object = undefined;
    rig.statusWriter.refresh();
    await rig.clock.advance(600 * second);
    expect(rig.tries).toHaveLength(1);
    expect(rig.clock.pendingTimers).toBe(0);
  });
});

it('a stop waits for the writes that were asked for before', async () => {
  const rig = new Rig();
  const { promise, resolve } = Promise.withResolvers<void>();
  rig.duringWrite = () => promise;
  const [first, next] = [rig.statusWriter.write(), rig.statusWriter.write()];
  let isStopped = false;
  const stopped = rig.statusWriter.stop().then(() => (isStopped = true));
  await rig.clock.advance(0);
  expect(isStopped).toBe(false);
  resolve();
  await Promise.all([first, next, stopped]);
  expect(isStopped).toBe(true);
});

describe('a deactivation', () => {
  const limited = (deactivationsPerHour: number, status: object = {}) => {
    const object = connection({ limits: { ...connection().spec.limits, deactivationsPerHour } });
    return new Rig({ ...object, status: { observedGeneration: 1, ...status } });
  };
  const leftOf = ({ statusWriter }: Rig) => statusWriter.deactivationsFor(entry.scope).deactivationsLeft;

  it('is entered once the API server has it, and counts for an hour', async () => {
    const rig = limited(1);
    await rig.statusWriter.recordDismissal(entry, 'team');
    expect(rig.tries.at(-1)).toMatchObject({ dismissals: 1 });
    const { scope, alert } = entry;
    expect(rig.object?.status?.recentDeactivations).toEqual([
      { at: '2026-01-01T00:00:00Z', namespace: 'team', scope, alert },
    ]);
    expect([leftOf(rig), ledgerRoom(rig.statusWriter.ledger)]).toEqual([0, 499]);
    expect(rig.statusWriter.deactivationsFor(scope).nextDeactivationMs).toBe(rig.clock.now() + 3600 * second);
    await expect(rig.statusWriter.recordDismissal({ ...entry, alert: 'B' }, 'team')).rejects.toMatchObject({
      code: 'limit-reached',
    });
    await rig.clock.advance(3600 * second);
    expect([leftOf(rig), rig.statusWriter.deactivationsFor(scope).nextDeactivationMs]).toEqual([1, undefined]);
  });

  it('does not count against itself in the tick of its send', async () => {
    const rig = limited(1);
    const { sent } = await rig.statusWriter.recordDismissal(entry, 'team');
    const facts = rig.statusWriter.deactivationsFor(entry.scope, sent);
    expect([facts.deactivationsLeft, facts.recentDeactivations.size]).toEqual([1, 0]);
  });

  it('is none without a connection in the caches', () => {
    const rig = limited(2);
    rig.object = undefined;
    expect(leftOf(rig)).toBe(0);
  });

  it('that could not be recorded is taken back, with its count', async () => {
    const rig = limited(1);
    rig.failures = [away()];
    await expect(rig.statusWriter.recordDismissal(entry, 'team')).rejects.toMatchObject({ code: 'kube-unreachable' });
    expect([rig.statusWriter.ledger.records(), leftOf(rig)]).toEqual([[], 1]);
  });
});

describe('the ledger', () => {
  const record = { ...entry, since: '2025-12-31T00:00:00Z' };
  const withLedger = (uid = 'uid-prod', baseURL?: string): RoleAlertConnection => {
    const object = connection(baseURL === undefined ? {} : { endpoint: { ...connection().spec.endpoint, baseURL } });
    const status = { observedGeneration: 1, dismissals: [record] };
    return { ...object, metadata: { ...object.metadata, uid }, status };
  };

  it('is taken over from the status once: a status that others wiped loses nothing', () => {
    const rig = new Rig(withLedger());
    expect(rig.statusWriter.loadLedger({ ...withLedger(), status: { observedGeneration: 1 } })).toBe(false);
    expect([rig.statusWriter.ledger.recordsOf(entry.scope), [...rig.statusWriter.ledger.scopes()]]).toEqual([
      [record],
      [entry.scope],
    ]);
  });

  it('speaks of one service: at another one it is empty', async () => {
    const rig = new Rig(withLedger());
    expect(rig.statusWriter.loadLedger(withLedger('uid-prod', 'https://SERVICE.example/'))).toBe(false);
    expect(rig.statusWriter.ledger.records()).toEqual([record]);
    expect(rig.statusWriter.loadLedger(withLedger('uid-prod', 'https://elsewhere.example'))).toBe(true);
    expect(rig.statusWriter.ledger.records()).toEqual([]);
    expect(rig.errors).toEqual(['dismissals dropped, their connection moved to another service']);
    const empty = new Rig();
    empty.statusWriter.loadLedger(withLedger('uid-prod', 'https://elsewhere.example'));
    expect(empty.errors).toEqual([]);
    await rig.clock.advance(0);
    expect(rig.tries.at(-1)).toMatchObject({ dismissals: 0 });
  });

  it('has room until its entries fill 256 KiB, and none for a moment longer', () => {
    const entries = (bytes: number) => {
      const long = { ...record, scope: 's'.repeat(512), reason: 'r'.repeat(120) };
      const size = Buffer.byteLength(JSON.stringify({ ...long, alert: 'A100' })) + 1;
      const count = Math.floor(bytes / size);
      const rest = bytes - count * size;
      return Array.from({ length: count }, (_, index) => ({
        ...long,
        alert: `A${100 + index}${index === 0 ? 'x'.repeat(rest) : ''}`,
      }));
    };
    const roomWith = (bytes: number) =>
      ledgerRoom(
        new Rig({ ...connection(), status: { observedGeneration: 1, dismissals: entries(bytes) } }).statusWriter.ledger,
      );
    expect(roomWith(256 * 1024 - 1)).toBeGreaterThan(100);
    expect(roomWith(256 * 1024)).toBe(0);
  });

  it('is written once for the lists of ten seconds that describe its entries anew, as after an upgrade', async () => {
    const old = Array.from({ length: 20 }, (_, index) => ({ ...record, scope: `subscriptions/${index}` }));
    const rig = new Rig({ ...connection(), status: { observedGeneration: 1, dismissals: old } });
    for (const held of rig.statusWriter.ledger.records()) {
      const declared = new Map([[held, { policy: held.policy, reason: 'accepted' }]]);
      rig.statusWriter.updateLedger(held.scope, { resolvedDismissals: [], missing: [], declared });
      await rig.clock.advance(second / 4);
    }
    expect(rig.tries).toEqual([]);
    await rig.clock.advance(10 * second);
    expect(rig.tries).toMatchObject([{ dismissals: 20 }]);
    expect(rig.object?.status?.dismissals?.every(({ reason }) => reason === 'accepted')).toBe(true);
  });
});
