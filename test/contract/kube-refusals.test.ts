// A collection that the API server served and now refuses: for how long the cache keeps what it can no longer follow.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { silentLogger } from '../../src/lib/log.ts';
import type { ApiServerConnection } from '../../src/operator/kube/api-server-connection.ts';
import { createReflector, type Reflector } from '../../src/operator/kube/reflector.ts';
import type { KubeObject } from '../../src/operator/kube/resource.ts';
import { createKubeTransport } from '../../src/operator/kube/transport.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';
import { until } from '../support/rigs/until.ts';
import { connectTo, failure, page, startWatchServer, type WatchServer } from '../support/servers/watch-server.ts';

let server: WatchServer;
let connection: ApiServerConnection;
let clock: ManualClock;
let events: string[];
let logged: object[];
let failures: { readonly code: string; readonly atMs: number }[];
let reflector: Reflector<KubeObject>;

beforeEach(async () => {
  server = await startWatchServer();
  connection = connectTo(server.url);
  clock = new ManualClock();
  [events, logged, failures] = [[], [], []];
});

afterEach(async () => {
  await reflector.stop();
  await connection.close();
  await server.stop();
});

const thing = (name: string): KubeObject => ({ metadata: { name, uid: `uid-${name}`, resourceVersion: '5' } });
const refusedForMs = () => (failures.at(-1)?.atMs ?? 0) - (failures[0]?.atMs ?? 0);
const cached = () => [...reflector.list()].map(({ metadata }) => metadata.name);

/** Follows a collection with one object until its watch is open. */
async function follow(forgetAfterRefusalMs: number | undefined) {
  server.answerLists(page([thing('a')], '9'));
  reflector = createReflector<KubeObject>({
    resource: { group: '', version: 'v1', plural: 'things' },
    forgetAfterRefusalMs,
    transport: createKubeTransport({ connection, clock }),
    clock,
    random: { next: () => 0.5 },
    log: { ...silentLogger, child: () => ({ ...silentLogger, error: (fields: object) => void logged.push(fields) }) },
    handlers: {
      onEvent: ({ type, object }) => events.push(`${type} ${object.metadata.name}`),
      onSynced: () => undefined,
    },
    observer: {
      onServed: () => undefined,
      onFailure: (_resource, code) => failures.push({ code, atMs: clock.monotonic() }),
    },
  });
  reflector.start();
  return server.nextWatch();
}

async function withTime(condition: () => boolean, what: string): Promise<void> {
  await until(async () => {
    if (!condition()) await clock.advance(500);
    return condition();
  }, what);
}

describe('a cache of what the API server refuses', () => {
  it.each([403, 404])('forgets its objects after a minute of %i, and logs it once', async (status) => {
    const watch = await follow(60_000);
    server.refuseWatches(failure(status));
    server.answerLists(failure(status));
    watch.end();
    await withTime(() => cached().length === 0, 'an empty cache');
    expect(refusedForMs()).toBeGreaterThanOrEqual(60_000);
    expect(refusedForMs()).toBeLessThan(90_000);
    const seen = failures.length;
    await withTime(() => failures.length > seen + 2, 'more refusals');
    expect(events).toEqual(['added a', 'deleted a']);
    expect(logged).toEqual([{ objects: 1 }]);
  });

  it('is whole again once the list is served', async () => {
    const watch = await follow(60_000);
    server.refuseWatches(failure(403));
    server.answerLists(failure(403));
    watch.end();
    await withTime(() => cached().length === 0, 'an empty cache');
    server.answerLists(page([thing('a'), thing('b')], '20'));
    await withTime(() => cached().length === 2, 'both objects');
    expect(events).toEqual(['added a', 'deleted a', 'added a', 'added b']);
  });

  it('keeps them through a refusal of seconds, as of an API server that starts', async () => {
    const watch = await follow(60_000);
    server.refuseWatches(failure(403));
    server.answerLists(failure(403), failure(403), failure(403), page([thing('a')], '9'));
    watch.end();
    const watches = () => server.requests.filter(({ query }) => query.has('watch')).length;
    await withTime(() => watches() === 3, 'a new watch');
    expect([events, failures.filter(({ code }) => code === 'kube-denied').length]).toEqual([['added a'], 4]);
  });

  it('shows what lists bring while only the watch is refused', async () => {
    const watch = await follow(60_000);
    server.refuseWatches(...Array.from({ length: 30 }, () => failure(403)));
    server.answerLists(page([thing('a'), thing('b')], '20'));
    watch.end();
    await withTime(() => refusedForMs() > 120_000, 'two minutes of refused watches');
    expect([cached(), events]).toEqual([
      ['a', 'b'],
      ['added a', 'added b'],
    ]);
  });

  it.each([
    ['the credential is refused', 401, 60_000],
    ['the API server fails', 500, 60_000],
    ['the operator cannot do without them', 403, undefined],
  ] as const)('keeps them while %s', async (_, status, limitMs) => {
    const watch = await follow(limitMs);
    server.refuseWatches(...Array.from({ length: 30 }, () => failure(status)));
    server.answerLists(failure(status));
    watch.end();
    await withTime(() => refusedForMs() > 120_000, 'two minutes of failures');
    expect(events).toEqual(['added a']);
  });
});
