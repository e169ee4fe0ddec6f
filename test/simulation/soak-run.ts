// Months of an operator's life in virtual time: every day flags drift, and policies, scopes, connections and Secrets come and go.
// It measures the operator's resources at the end of each day. Every day is like the one before, so whatever grows is a leak: counts
// are compared exactly, half with half, and the heap by its slope.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { errorLines } from '../support/checks/log-lines.ts';
import { simAlert } from './alerts/sim-alert.ts';
import { createNamespace } from './kube/namespaces.ts';
import type { SimResource } from './kube/resources.ts';
import type { Replica } from './replica.ts';
import { serviceOrigin, World } from './world.ts';

/** The measures at the end of a day. All but the heap is the same every day. */
export interface Measure {
  readonly timers: number;
  readonly exchanges: number;
  /** Series of policies and connections at the metrics endpoint. */
  readonly series: number;
  readonly queueDepth: number;
  readonly ledgerEntries: number;
  /** Bytes of every status. */
  readonly statusBytes: number;
  /** Unexpected errors that were logged so far. */
  readonly errors: number;
  /** After a garbage collection. */
  readonly heapBytes: number;
}

export interface SoakOptions {
  readonly seed: number;
  readonly days: number;
  readonly resources: readonly SimResource[];
  readonly onDay?: (day: number, measure: Measure) => void;
}

const hourMs = 3_600_000;
const lastingScopes = 6;
const passingScopes = 4;

/** Resolves with one measure a day, and with what the operator holds open after its stop. */
export async function runSoak({ seed, days, resources, onDay }: SoakOptions): Promise<{
  readonly measures: readonly Measure[];
  readonly leftovers: readonly string[];
  /** Requests that set a flag. */
  readonly patches: number;
}> {
  const world = new World({ seed, resources, isTraced: false });
  createNamespace(world.api, 'team');
  addConnection(world, 'lasting');
  for (let number = 0; number < lastingScopes; number++) addPolicy(world, 'lasting', `lasting-${number}`);
  const replica = await world.startReplica({ leaderElect: false });
  const measures: Measure[] = [];
  let patches = 0;
  let errors = 0;
  for (let day = 0; day < days; day++) {
    await liveOneDay(world, day);
    patches += world.service.calls.filter(({ kind }) => kind === 'patch').length;
    errors += errorLines(world.lines).length;
    forgetTheDay(world);
    measures.push(await measure(world, replica, errors));
    onDay?.(day, measures.at(-1)!);
  }
  const stopped = replica.stop();
  await world.time.runUntil(world.time.nowMs + 60_000);
  await stopped;
  return { measures, leftovers: replica.leftovers(), patches };
}

async function liveOneDay(world: World, day: number): Promise<void> {
  const { time } = world;
  const startMs = day * 24 * hourMs;
  const at = (hour: number) => time.runUntil(startMs + hour * hourMs);
  await at(1);
  const name = `passing-${day}`;
  addConnection(world, name);
  for (let number = 0; number < passingScopes; number++) addPolicy(world, name, `${name}-${number}`);
  for (let hour = 2; hour < 20; hour++) {
    await at(hour);
    world.service.turn(scopeOf(`lasting-${hour % lastingScopes}`), 'Wanted', false, 'User');
    world.service.turn(scopeOf(`${name}-${hour % passingScopes}`), 'Wanted', false, 'Application');
  }
  await at(20);
  for (let number = 0; number < passingScopes; number++) remove(world, 'rolealertpolicies', `${name}-${number}`);
  // Every other day the connection is deleted first, and one of its policies exists without it for an hour.
  if (day % 2 === 1) addPolicy(world, name, `${name}-0`);
  remove(world, 'rolealertconnections', name);
  await at(21);
  // The Secret goes last: without it the operator could not end the dismissals of the deleted connection.
  remove(world, 'secrets', name);
  if (day % 2 === 1) remove(world, 'rolealertpolicies', `${name}-0`);
  for (let number = 0; number < passingScopes; number++) world.service.removeScope(scopeOf(`${name}-${number}`));
  await at(24);
}

function scopeOf(policy: string): string {
  return `subscriptions/${policy}`;
}

function addConnection({ api, service }: World, name: string): void {
  const token = `token-of-${name}`;
  service.staticTokens.set(token, 'team');
  api.writes.create(api.resource('secrets'), 'team', {
    metadata: { name, labels: { 'rolealerts.dev/credential': 'true' } },
    data: { token: Buffer.from(token).toString('base64') },
  });
  api.writes.create(api.resource('rolealertconnections'), 'team', {
    metadata: { name },
    spec: {
      endpoint: { baseURL: serviceOrigin },
      auth: { tokenSecretRef: { name, key: 'token' } },
      deactivation: 'Allow',
      limits: { maxDismissal: '8760h' },
    },
  });
}

/** One alert is wanted active, another one is dismissed, which puts it into the ledger. */
function addPolicy({ api, service }: World, connection: string, name: string): void {
  const scope = scopeOf(name);
  if (service.alertsOf(scope) === undefined) {
    service.addScope(scope, [simAlert('Wanted', false, 0), simAlert('Dismissed', true, 0)]);
  }
  const dismissal = { reason: 'tracked in SEC-1182', maxIncidents: 3, until: '2027-01-01T00:00:00Z' };
  api.writes.create(api.resource('rolealertpolicies'), 'team', {
    metadata: { name },
    spec: {
      connectionRef: { name: connection },
      scope,
      alerts: [
        { name: 'Wanted', state: 'Active' },
        { name: 'Dismissed', state: 'Inactive', dismissal },
      ],
    },
  });
}

function remove({ api }: World, plural: string, name: string): void {
  api.writes.delete(api.resource(plural), 'team', name);
}

/** What the world remembers for its oracles, and what a real API server forgets after an hour. */
function forgetTheDay({ api, service, lines, tail }: World): void {
  lines.length = 0;
  tail.length = 0;
  service.calls.length = 0;
  for (const token of service.staticTokens.keys()) {
    if (token.startsWith('token-of-passing')) service.staticTokens.delete(token);
  }
  for (const event of api.store.list('events')) api.store.delete('events', event);
  api.store.compact();
}

async function measure({ api, network }: World, replica: Replica, errors: number): Promise<Measure> {
  const policies = api.store.list('rolealertpolicies');
  const connections = api.store.list('rolealertconnections');
  const metrics = (await replica.scrape()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const depth = metrics.find((line) => line.startsWith('workqueue_depth'));
  const bytesOf = (status: unknown) => JSON.stringify(status ?? null).length;
  return {
    timers: replica.process.openTimers,
    exchanges: network.openExchanges(replica.process),
    series: metrics.filter((line) => line.includes('namespace="team"')).length,
    queueDepth: Number(depth?.split(' ').at(-1)),
    ledgerEntries: connections
      .map(({ status }) => (status as { dismissals?: readonly unknown[] } | undefined)?.dismissals?.length ?? 0)
      .reduce((sum, count) => sum + count, 0),
    statusBytes: [...policies, ...connections].reduce((sum, { status }) => sum + bytesOf(status), 0),
    errors,
    heapBytes: heapAfterCollection(),
  };
}

/** The process need not have been started with `--expose-gc`. */
function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

/** Of the first days, while caches and series that last come to be. */
const settlingDays = 4;

/** Of the heap, while the engine compiles and its tables grow: 2 MB in two weeks, a tenth of that in the next two. */
const heapSettlingDays = 14;

/** A leaked policy or connection is some kilobytes; what the engine and the compiler keep is not, after the first days. */
const heapBytesPerDay = 90_000;

const counts = ['timers', 'exchanges', 'series', 'queueDepth', 'ledgerEntries', 'errors'] as const;

/** A sentence for each thing that grew; needs at least six days more than those of the heap. */
export function growthOf(measures: readonly Measure[]): string[] {
  const days = measures.slice(settlingDays);
  const middle = Math.floor(days.length / 2);
  const most = (half: readonly Measure[], of: (measure: Measure) => number) => Math.max(...half.map(of));
  const [first, second] = [days.slice(0, middle), days.slice(middle)];
  const grown = counts.flatMap((name) => {
    const [before, after] = [first, second].map((half) => most(half, (measure) => measure[name]));
    return before === after ? [] : [`${name}: up to ${before} in the first half, up to ${after} in the second`];
  });
  const slope = slopeOf(measures.slice(heapSettlingDays).map(({ heapBytes }) => heapBytes));
  const statusBytes = most(second, (measure) => measure.statusBytes) - most(first, (measure) => measure.statusBytes);
  return [
    ...grown,
    // The counts of a history get longer by a digit now and then.
    ...(statusBytes > 64 ? [`statuses: ${statusBytes} bytes longer`] : []),
    ...(slope > heapBytesPerDay ? [`heap: ${Math.round(slope)} bytes more a day`] : []),
  ];
}

/** Least squares: how much more a day. */
function slopeOf(values: readonly number[]): number {
  const meanOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
  const meanDay = (values.length - 1) / 2;
  const mean = meanOf(values);
  const products = values.map((value, day) => (day - meanDay) * (value - mean));
  const squares = values.map((_, day) => (day - meanDay) ** 2);
  return meanOf(products) / meanOf(squares);
}
