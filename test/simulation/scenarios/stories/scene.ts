// The fixture of one story: it sets up a small world by name, acts in it at chosen moments, and checks the
// result.
import type { Random } from '../../../../src/lib/random.ts';
import type { ManagerValues } from '../../../../src/operator/manager/manager.ts';
import { callerOf } from '../../alerts/callers.ts';
import { type SimAlert, simAlert } from '../../alerts/sim-alert.ts';
import type { ServiceCall } from '../../alerts/sim-service.ts';
import { startOfTimeMs } from '../../engine/sim-process.ts';
import { createNamespace, terminateNamespace } from '../../kube/namespaces.ts';
import type { StoredObject } from '../../kube/object.ts';
import type { Json } from '../../kube/spec-rules.ts';
import { type Entry, entriesOf } from '../../oracles/ledger.ts';
import type { Report } from '../../oracles/oracle.ts';
import { serviceOrigin, type World } from '../../world.ts';
import { attempt, credentialName, putSecret } from '../generators.ts';
import { pick } from '../schema-walker.ts';
import { type Script, tokenFor } from './script.ts';

export type Story = (scene: Scene) => Promise<void>;

/** The one scope and the one namespace of most stories. */
export const one = 'subscriptions/one';
export const team = 'team';
export const guest = 'guest';
export const secondMs = 1000;
export const minuteMs = 60_000;
export const hourMs = 3_600_000;

export interface SceneParts {
  readonly world: World;
  readonly random: Random;
  readonly script: Script;
  readonly report: Report;
}

export class Scene {
  readonly world: World;
  readonly random: Random;
  readonly script: Script;
  readonly #report: Report;
  /** PATCHes that a service did, oldest first. */
  readonly patches: ServiceCall[] = [];

  constructor({ world, random, script, report }: SceneParts) {
    this.world = world;
    this.random = random;
    this.script = script;
    this.#report = report;
    world.onCall((call) => {
      if (call.kind === 'patch' && call.status === 204) this.patches.push(call);
    });
  }

  pick<T>(...list: readonly T[]): T {
    return pick(this.random, list);
  }

  between(least: number, most: number): number {
    return least + this.random.next() * (most - least);
  }

  wait(ms: number): Promise<void> {
    return this.world.time.runUntil(this.world.time.nowMs + ms);
  }

  later(ms: number, act: () => void): void {
    this.world.time.schedule(ms, act);
  }

  addScope(scope: string, flags: Readonly<Record<string, boolean>>): void {
    const alerts = Object.entries(flags).map(([name, isActive]): SimAlert => simAlert(name, isActive, startOfTimeMs));
    this.world.service.addScope(scope, alerts);
  }

  /** Sets the flag as another client. */
  turn(alert: string, isActive: boolean, scope = one): void {
    this.world.note(`--- ${alert} is turned ${isActive ? 'on' : 'off'}`);
    this.world.service.turn(scope, alert, isActive, 'User');
  }

  isActive(alert: string, scope = one): boolean {
    return this.world.service.find(scope, alert)?.isActive === true;
  }

  /** A namespace with a connection that has a working token. */
  connect(namespace = team, { name = 'prod', limits, ...spec }: Connected = {}): void {
    const { api, service } = this.world;
    if (!this.hasNamespace(namespace)) createNamespace(api, namespace);
    service.staticTokens.set(tokenFor(namespace, name), callerOf('token', namespace, name));
    putSecret(this, namespace, name, tokenFor(namespace, name));
    const usual = { requestsPerHour: 36_000, burst: 100, minInterval: '5s', deactivationsPerHour: 100 };
    api.writes.create(api.resource('rolealertconnections'), namespace, {
      metadata: { name },
      spec: {
        endpoint: { baseURL: serviceOrigin },
        auth: { tokenSecretRef: { name: credentialName(name), key: 'value' } },
        deactivation: 'Allow',
        ...spec,
        limits: { ...usual, ...limits },
      },
    });
  }

  /** A ClusterRoleAlertConnection `prod` that has a working token. */
  connectCluster(access: readonly Json[], limits: Json = {}): void {
    const { api, service } = this.world;
    const namespace = 'rolealerts-system';
    service.staticTokens.set(tokenFor(namespace), callerOf('token', '', 'prod'));
    putSecret(this, namespace, 'prod', tokenFor(namespace));
    api.writes.create(api.resource('clusterrolealertconnections'), undefined, {
      metadata: { name: 'prod' },
      spec: {
        endpoint: { baseURL: serviceOrigin },
        auth: { tokenSecretRef: { name: credentialName('prod'), key: 'value' } },
        deactivation: 'Allow',
        access,
        limits: { requestsPerHour: 36_000, burst: 100, minInterval: '5s', deactivationsPerHour: 100, ...limits },
      },
    });
  }

  editCluster(spec: Json): void {
    const { api } = this.world;
    this.world.note('--- the cluster connection is edited');
    api.writes.mergePatch(api.resource('clusterrolealertconnections'), undefined, 'prod', { spec });
  }

  removeCluster(): void {
    const { api } = this.world;
    this.world.note('--- the cluster connection is deleted');
    api.writes.delete(api.resource('clusterrolealertconnections'), undefined, 'prod');
  }

  addNamespace(name: string, labels: Readonly<Record<string, string>>): void {
    createNamespace(this.world.api, name);
    this.label(name, labels);
  }

  /** These labels and no others. */
  label(name: string, labels: Readonly<Record<string, string>>): void {
    const { api } = this.world;
    const before = api.store.get('namespaces', name)?.metadata.labels ?? {};
    const gone = Object.fromEntries(Object.keys(before).map((key) => [key, null]));
    this.world.note(`--- ${name} is labelled ${JSON.stringify(labels)}`);
    const metadata = { labels: { ...gone, ...labels } } as never;
    api.writes.mergePatch(api.resource('namespaces'), undefined, name, { metadata });
  }

  removeNamespace(name: string): void {
    this.world.note(`--- namespace ${name} is deleted`);
    terminateNamespace(this.world.api, this.world.time, this.random, name);
  }

  hasNamespace(name: string): boolean {
    return this.world.api.store.get('namespaces', name) !== undefined;
  }

  /** The reason of the condition Ready. */
  readyOf(name: string, namespace = team): unknown {
    const conditions = ((this.policy(name, namespace)?.status ?? {})['conditions'] ?? []) as readonly Json[];
    return conditions.find(({ type }) => type === 'Ready')?.['reason'];
  }

  editConnection(spec: Json, namespace = team): void {
    const { api } = this.world;
    this.world.note(`--- ${namespace}/prod is edited`);
    attempt(() => api.writes.mergePatch(api.resource('rolealertconnections'), namespace, 'prod', { spec }));
  }

  declare(name: string, alerts: readonly Json[], { namespace = team, ...spec }: Declared = {}): void {
    const { api } = this.world;
    const whole = { connectionRef: { name: 'prod' }, scope: one, interval: '10s', ...spec };
    const sent = { metadata: { name }, spec: { ...whole, ...(alerts.length > 0 && { alerts }) } };
    this.world.note(`--- ${namespace}/${name} is created`);
    api.writes.create(api.resource('rolealertpolicies'), namespace, sent);
  }

  edit(name: string, spec: Json, namespace = team): void {
    this.#patchPolicy(namespace, name, { spec });
  }

  request(name: string, namespace = team): void {
    const annotations = { 'rolealerts.dev/requestedAt': String(this.world.time.nowMs) };
    this.#patchPolicy(namespace, name, { metadata: { annotations } });
  }

  remove(
    plural: 'rolealertpolicies' | 'rolealertconnections' | 'secrets' | 'serviceaccounts',
    name: string,
    namespace = team,
  ): void {
    const { api } = this.world;
    this.world.note(`--- ${plural} ${namespace}/${name} is deleted`);
    attempt(() => api.writes.delete(api.resource(plural), namespace, name));
  }

  policy(name: string, namespace = team): StoredObject | undefined {
    return this.world.api.store.get('rolealertpolicies', `${namespace}/${name}`);
  }

  /** What the status says of one alert. */
  row(name: string, alert: string, namespace = team): Json | undefined {
    const rows = ((this.policy(name, namespace)?.status ?? {})['alerts'] ?? []) as readonly Json[];
    return rows.find((row) => row['name'] === alert);
  }

  entries(namespace = team): readonly Entry[] {
    const connection = this.world.api.store.get('rolealertconnections', `${namespace}/prod`);
    return connection ? entriesOf(connection) : [];
  }

  /** Starts one replica, with some seeds under leader election. */
  async start(values: Partial<ManagerValues> = {}): Promise<void> {
    const leaderElect = this.random.next() < 0.3;
    await this.world.startReplica({ leaderElect, ...values });
  }

  /** Kills every replica, and starts a new one. */
  async restart(): Promise<void> {
    for (const replica of this.world.replicas) if (replica.isAlive) replica.kill();
    await this.world.startReplica();
  }

  /** Calls `act` for every deactivation, in the tick in which the service makes it. */
  onDeactivated(act: (call: ServiceCall) => void): void {
    this.world.onCall((call) => {
      if (call.kind === 'patch' && call.isActive === false && call.status === 204 && call.wasActive === true) act(call);
    });
  }

  /** The number of PATCHes since `fromMs` that set the flag to `isActive`. */
  sent(alert: string, isActive: boolean, fromMs = 0): number {
    return this.patches.filter((call) => call.alert === alert && call.isActive === isActive && call.sentAtMs >= fromMs)
      .length;
  }

  promise(what: string, isKept: boolean): void {
    if (!isKept) this.#report(what);
  }

  /** Reports `what` unless `isSo` becomes true in time. */
  async eventually(what: string, withinMs: number, isSo: () => boolean): Promise<void> {
    const untilMs = this.world.time.nowMs + withinMs;
    while (!isSo() && this.world.time.nowMs < untilMs) await this.wait(secondMs);
    this.promise(`${what} within ${withinMs / 1000} s`, isSo());
  }

  /** Waits until `isSo` becomes true, for at most `withinMs`. Reports nothing. */
  async until(isSo: () => boolean, withinMs = 10 * minuteMs): Promise<void> {
    const untilMs = this.world.time.nowMs + withinMs;
    while (!isSo() && this.world.time.nowMs < untilMs) await this.wait(100);
  }

  #patchPolicy(namespace: string, name: string, patch: Json): void {
    const { api } = this.world;
    this.world.note(`--- ${namespace}/${name} is edited`);
    attempt(() => api.writes.mergePatch(api.resource('rolealertpolicies'), namespace, name, patch));
  }
}

type Connected = Json & { readonly name?: string; readonly limits?: Json };
type Declared = Json & { readonly namespace?: string };

export function active(name: string): Json {
  return { name, state: 'Active' };
}

/** A dismissal that ends at that virtual time, and with `bound` otherwise. */
export function dismissed(name: string, untilMs = 20 * hourMs, bound: Json = {}): Json {
  const until = new Date(startOfTimeMs + untilMs).toISOString().replace(/\.\d+Z/, 'Z');
  return { name, state: 'Inactive', dismissal: { reason: 'tracked in SEC-1182', until, ...bound } };
}
