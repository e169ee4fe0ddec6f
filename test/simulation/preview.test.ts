// Preview equals execution for the whole operator: at quiet moments of a seed, what `plan --live` plans from the objects that the operator
// left is what the next operator then sends. The statuses that hold its memory are those that it wrote itself.
import { describe, expect, it } from 'vitest';

import { liveObjects } from '../../src/commands/preview/live-objects.ts';
import type { ServiceAccess } from '../../src/commands/preview/open-client.ts';
import { planObjects } from '../../src/commands/preview/plan-objects.ts';
import type { PlannedScope } from '../../src/commands/preview/planned-scope.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { parseJson } from '../../src/lib/json-shape.ts';
import { seededRandom } from '../../src/lib/random.ts';
import type { KubeTransport } from '../../src/operator/kube/transport.ts';
import { noCredentials } from '../support/builders/service-access.ts';
import { AnsweringDispatcher } from '../support/servers/answering-dispatcher.ts';
import { startOfTimeMs } from './engine/sim-process.ts';
import { readResources } from './kube/resources.ts';
import { actions } from './scenarios/actions.ts';
import { type Generators, plainPlace, setUp } from './scenarios/generators.ts';
import { pick } from './scenarios/schema-walker.ts';
import { serviceOrigin, World } from './world.ts';

const resources = await readResources();
const minuteMs = 60_000;
/** Within it a new operator hears every connection and sends what it plans. */
const startMs = minuteMs;
const rounds = 6;
const seeds = process.env['MODE'] === 'nightly' ? 24 : 10;

/** While the operator works, for the memory that its statuses then hold. */
const worked = ['dismiss', 'dismiss', 'dismiss', 'insist', 'create', 're-raise'] as const;
/** While none runs: what takes effect at once. */
const missed = [
  'dismiss',
  'dismiss',
  'insist',
  'drift',
  'drift',
  'drift',
  'delete policy',
  'delete policy',
  'edit',
  'suspend',
  'create',
  'edit connection',
  'scan',
  're-raise',
  'alert comes',
  'incidents unseen',
] as const;

/** `SCOPE ALERT`, sorted. */
interface Found {
  readonly activations: readonly string[];
  readonly deactivations: readonly string[];
}

interface Planned extends Found {
  /** How many deactivations the hourly limit holds. */
  readonly limited: number;
}

interface Change {
  readonly scope: string;
  readonly alert: string;
  readonly isActive: boolean;
}

function changesOf(changes: readonly Change[], isActive: boolean): readonly string[] {
  const names = changes.filter((each) => each.isActive === isActive).map(({ scope, alert }) => `${scope} ${alert}`);
  return [...new Set(names.map((name) => name.toLowerCase()))].sort();
}

/** Reads the objects of the API server, as the person who runs the command. */
function viewerOf({ api }: World): KubeTransport {
  return {
    async request<T>({ path }: { readonly path: string }) {
      const [, named] = /^\/api\/v1\/namespaces\/([^/?]+)$/.exec(path) ?? [];
      if (named !== undefined) return api.store.get('namespaces', named) as T;
      const [, plural = ''] = /\/([a-z]+)(?:\?.*)?$/.exec(path) ?? [];
      return { metadata: { resourceVersion: '1' }, items: api.store.list(plural) } as T;
    },
    send: () => Promise.reject(new Error('not in this test')),
    watch: () => Promise.reject(new Error('not in this test')),
  };
}

/** With the credential of each connection, so that every list succeeds which the operator can make. */
function accessTo(world: World, clock: Clock): ServiceAccess {
  const secrets = new Map(
    world.api.store.list('secrets').map((secret) => [`${secret.metadata.namespace}/${secret.metadata.name}`, secret]),
  );
  const { nowMs } = world.time;
  return {
    credentials: { ...noCredentials, secrets },
    configMaps: new Map(),
    allowHttp: false,
    allowedHosts: [],
    allowPrivateEndpoints: true,
    proxies: undefined,
    clock,
    random: seededRandom(1),
    openDispatcher: () =>
      new AnsweringDispatcher((request) => {
        const asked = { ...request, process: 'viewer', origin: serviceOrigin, sentAtMs: nowMs, atMs: nowMs };
        const { status, body } = world.service.handle(asked);
        return { status, ...(body !== '' && { body: parseJson(String(body)) as object }) };
      }),
  };
}

/** As `plan --live` at this moment, or this much later with the same alerts. */
async function preview(world: World, laterMs = 0): Promise<Planned> {
  const nowMs = startOfTimeMs + world.time.nowMs + laterMs;
  const signal = new AbortController().signal;
  const place = { transport: viewerOf(world), namespace: undefined, signal, note: () => undefined };
  const { objects } = await liveObjects(place, { valid: [], others: [] });
  const request = {
    access: accessTo(world, { ...systemClock, now: () => nowMs }),
    nowMs,
    defaultIntervalMs: world.defaultIntervalMs,
    signal,
    onProgress: () => undefined,
  };
  return plannedIn(await planObjects(objects, request, (found) => found));
}

function plannedIn(scopes: readonly PlannedScope[]): Planned {
  const changes = scopes.flatMap(({ ref, planned }) =>
    (planned?.plan.actions ?? []).map(({ alert, isActive }) => ({ scope: ref.scope, alert, isActive })),
  );
  const decisions = scopes.flatMap(({ planned }) => planned?.plan.policies ?? []).flatMap(({ alerts }) => alerts);
  return {
    activations: changesOf(changes, true),
    deactivations: changesOf(changes, false),
    limited: decisions.filter(({ reason }) => reason === 'DeactivationLimited').length,
  };
}

/**
 * The first PATCH of each alert by an operator that starts now, and is killed after a minute. A second one in the other direction is the
 * answer of another connection that declares the opposite.
 */
async function execution(world: World): Promise<Found> {
  const first = world.service.calls.length;
  await world.startReplica({ leaderElect: false });
  await world.time.runUntil(world.time.nowMs + startMs);
  const sent = world.service.calls.slice(first).filter(({ kind }) => kind === 'patch');
  const byAlert = Map.groupBy(sent, ({ scope, alert }) => `${scope} ${alert}`.toLowerCase());
  const firsts = [...byAlert.values()].flatMap(([first]) => first ?? []);
  const changes = firsts.map(({ scope, alert, isActive }) => ({ scope, alert, isActive: isActive === true }));
  return { activations: changesOf(changes, true), deactivations: changesOf(changes, false) };
}

/** One quiet moment. */
interface Compared {
  readonly seed: number;
  readonly round: number;
  readonly planned: Found;
  readonly sent: Found;
}

/** Between the rounds the operator works for minutes, and ends without a word. */
async function runSeed(seed: number): Promise<readonly Compared[]> {
  const compared: Compared[] = [];
  const world = new World({ seed, resources, isTraced: false });
  const random = seededRandom(seed * 7919 + 11);
  const generators: Generators = { world, random, actsUntilMs: rounds * 10 * minuteMs, place: plainPlace };
  setUp(generators);
  for (let round = 0; round < rounds; round++) {
    const planned = await preview(world);
    const later = await preview(world, startMs);
    const sent = await execution(world);
    // What time alone changes may happen before or after the send, and which scope uses the hourly limit first depends on the lists.
    const { limited, ...found } = planned;
    if (isSame(planned, later) && limited === 0) compared.push({ seed, round, planned: found, sent });
    act(generators, worked);
    await world.time.runUntil(world.time.nowMs + 4 * minuteMs);
    for (const replica of world.replicas) replica.kill();
    act(generators, missed);
    await world.time.runUntil(world.time.nowMs + random.next() * 3 * minuteMs);
  }
  return compared;
}

function act(generators: Generators, names: readonly string[]): void {
  const count = 2 + Math.floor(generators.random.next() * 4);
  for (let index = 0; index < count; index++) actions[pick(generators.random, names)]?.(generators);
}

function isSame(one: Planned, other: Planned): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

describe('plan --live', () => {
  it(`plans at quiet moments of ${seeds} seeds what the next operator then sends`, async () => {
    const compared: Compared[] = [];
    for (let seed = 1; seed <= seeds; seed++) compared.push(...(await runSeed(seed)));
    expect(compared.filter(({ planned, sent }) => JSON.stringify(planned) !== JSON.stringify(sent))).toEqual([]);
    // Else the comparison says little.
    const planned = (kind: keyof Found) => compared.flatMap((each) => each.planned[kind]).length;
    expect(compared.length).toBeGreaterThan(3.5 * seeds);
    expect(Math.min(planned('activations'), planned('deactivations'))).toBeGreaterThan(seeds / 2);
  });
});
