// The reflector against a scripted API server over a socket: whatever the server does, the cache converges to its state.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { silentLogger } from '../../src/lib/log.ts';
import type { ApiServerConnection } from '../../src/operator/kube/api-server-connection.ts';
import type { ObjectEvent } from '../../src/operator/kube/object-cache.ts';
import { createReflector, type Reflector, type ReflectorOptions } from '../../src/operator/kube/reflector.ts';
import type { KubeObject } from '../../src/operator/kube/resource.ts';
import { createKubeTransport } from '../../src/operator/kube/transport.ts';
import type { ErrorCode } from '../support/builders/errors.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';
import { until } from '../support/rigs/until.ts';
import {
  connectTo,
  failure,
  page,
  resetConnection,
  silence,
  startWatchServer,
  type WatchServer,
} from '../support/servers/watch-server.ts';

interface Thing extends KubeObject {
  readonly spec: { readonly text: string };
}

const resource = { group: 'example.dev', version: 'v1', plural: 'things' };
const middle = { next: () => 0.5 };

let server: WatchServer;
let connection: ApiServerConnection;
let clock: ManualClock;
let events: ObjectEvent<Thing>[];
let failures: ErrorCode[];
let syncs: number;
let reflector: Reflector<Thing>;

beforeEach(async () => {
  server = await startWatchServer();
  connection = connectTo(server.url);
  clock = new ManualClock();
  events = [];
  failures = [];
  syncs = 0;
});

afterEach(async () => {
  await reflector.stop();
  await connection.close();
  await server.stop();
});

function start(more: Partial<ReflectorOptions<Thing>> = {}): void {
  reflector = createReflector<Thing>({
    resource,
    transport: createKubeTransport({ connection, clock: more.clock ?? clock }),
    clock,
    random: middle,
    log: silentLogger,
    handlers: { onEvent: (event) => events.push(event), onSynced: () => syncs++ },
    observer: { onServed: () => undefined, onFailure: (_resource, code) => failures.push(code) },
    ...more,
  });
  reflector.start();
}

function thing(
  name: string,
  resourceVersion: string,
  more: { uid?: string; text?: string; namespace?: string } = {},
): Thing {
  const { uid = `uid-${name}`, text = `text ${resourceVersion}`, namespace = 'team' } = more;
  return { metadata: { name, namespace, uid, resourceVersion }, spec: { text } };
}

const added = (object: Thing) => ({ type: 'ADDED', object });
const modified = (object: Thing) => ({ type: 'MODIFIED', object });
const deleted = (object: Thing) => ({ type: 'DELETED', object });
const bookmark = (resourceVersion: string) => ({ type: 'BOOKMARK', object: { metadata: { resourceVersion } } });

const textOf = (name: string) => reflector.get(`team/${name}`)?.spec.text;
const lists = () => server.requests.filter((request) => request.query.has('limit'));
const watches = () => server.requests.filter((request) => request.query.has('watch'));
const eventLog = () => events.map((event) => `${event.type} ${event.object.metadata.name}`);

/** Lets the clock run until `condition` holds: back-offs pass, real sockets are waited for. */
async function withTime(condition: () => boolean, what: string): Promise<void> {
  await until(async () => {
    if (condition()) return true;
    await clock.advance(500);
    return condition();
  }, what);
}

describe('listing', () => {
  it('collects all pages and then watches from the last one', async () => {
    server.answerLists(page([thing('a', '5')], '9', 'more'), page([thing('b', '6')], '9'));
    start({ pageSize: 1 });
    const watch = await server.nextWatch();

    expect([...reflector.list()].map((object) => object.metadata.name)).toEqual(['a', 'b']);
    expect(lists().map(({ query }) => [query.get('limit'), query.get('continue')])).toEqual([
      ['1', null],
      ['1', 'more'],
    ]);
    expect(watch.query.get('resourceVersion')).toBe('9');
    expect(watch.query.get('allowWatchBookmarks')).toBe('true');
    expect(events.every((event) => event.isInitial)).toBe(true);
    expect([reflector.hasSynced, syncs]).toEqual([true, 1]);
  });

  it('is not synced, and says nothing of it, before the last page', async () => {
    server.answerLists(page([thing('a', '5')], '9', 'more'), silence);
    start();
    await until(() => lists().length === 2, 'the second page is asked for');

    expect(textOf('a')).toBe('text 5');
    expect([reflector.hasSynced, syncs]).toEqual([false, 0]);
  });

  it('starts again when the server has forgotten the list in between, and drops what is gone by then', async () => {
    server.answerLists(
      page([thing('a', '5'), thing('gone', '5')], '9', 'more'),
      failure(410, { reason: 'Expired' }),
      page([thing('a', '5')], '20'),
    );
    start();
    await withTime(() => reflector.hasSynced, 'the list is whole');

    expect([...reflector.list()].map((object) => object.metadata.name)).toEqual(['a']);
    expect(lists().map(({ query }) => query.get('continue'))).toEqual([null, 'more', null]);
  });
  it('waits as long as the server asks, and longer with every failure', async () => {
    server.answerLists(failure(500), failure(500), failure(429, { retryAfter: '60' }), page([], '9'));
    start();
    const waits: number[] = [];
    for (const count of [1, 2, 3]) {
      await until(() => failures.length === count, `failure ${count}`);
      waits.push(clock.nextTimerMs ?? 0);
      await clock.advance(waits.at(-1) ?? 0);
    }

    expect(waits).toEqual([1200, 2400, 60_000]);
    await until(() => reflector.hasSynced, 'the list is whole');
  });
});

describe('watching', () => {
  it('continues from the last bookmark when the server ends the watch, without a list', async () => {
    start();
    const first = await server.nextWatch();
    first.send(added(thing('a', '10')), bookmark('50'));
    await until(() => events.length === 1, 'the event');
    first.end();
    const second = await server.nextWatch();

    expect(second.query.get('resourceVersion')).toBe('50');
    expect([lists().length, failures]).toEqual([1, []]);
  });

  it('asks for an end after 5 to 10 minutes', async () => {
    start();
    const watch = await server.nextWatch();
    expect(watch.query.get('timeoutSeconds')).toBe('450');
  });

  it('continues from the last event after a reset, and loses none', async () => {
    start();
    const first = await server.nextWatch();
    first.send(added(thing('a', '10')));
    await until(() => events.length === 1, 'the event');
    await first.sendBytes('{"type":"MODIFIED","object":{"meta');
    first.reset();
    await withTime(() => watches().length === 2, 'a second watch');
    const second = await server.nextWatch();
    second.send(modified(thing('a', '11')));
    await until(() => textOf('a') === 'text 11', 'the change');

    expect(second.query.get('resourceVersion')).toBe('10');
    expect(lists()).toHaveLength(1);
  });
  const badLines = [
    ['an unknown type', '{"type":"RENAMED","object":{}}\n'],
    ['an error of the server', `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 500 } })}\n`],
  ];
  it.each(badLines)('lists again what followed %s', async (_name, line) => {
    server.answerLists(page([], '9'), page([thing('a', '10'), thing('between', '11')], '11'));
    start();
    const first = await server.nextWatch();
    first.send(added(thing('a', '10')));
    await first.sendBytes(line);
    first.send(added(thing('after', '12')));
    await withTime(() => watches().length === 2, 'a second watch');
    const second = await server.nextWatch();
    second.send(added(thing('after', '12')));
    await until(() => events.length === 3, 'all events');

    expect(second.query.get('resourceVersion')).toBe('11');
    expect(eventLog()).toEqual(['added a', 'added between', 'added after']);
    expect(first.isClosed).toBe(true);
  });

  it('reports nothing twice when events are repeated, and no older state', async () => {
    start();
    const watch = await server.nextWatch();
    watch.send(added(thing('a', '10')), added(thing('a', '10')), modified(thing('a', '11')), added(thing('a', '10')));
    watch.send(
      deleted(thing('a', '12')),
      modified(thing('a', '11')),
      deleted(thing('a', '12')),
      added(thing('b', '13')),
    );
    await until(() => reflector.get('team/b') !== undefined, 'the last event');

    expect(eventLog()).toEqual(['added a', 'changed a', 'deleted a', 'added b']);
  });

  it('opens a silent watch again, for it may be half open', async () => {
    start();
    const first = await server.nextWatch();
    await until(() => clock.nextTimerMs === 90_000, 'the watch is read');
    await clock.advance(90_000);
    const second = await server.nextWatch();
    second.send(added(thing('a', '10')));
    await until(() => events.length === 1, 'the event');

    await until(() => first.isClosed, 'the first one is closed');
    expect([lists().length, failures]).toEqual([1, []]);
  });

  it('ends a watch that outlives its time although it is never silent', async () => {
    start();
    const first = await server.nextWatch();
    for (let version = 10; !first.isClosed; version++) {
      first.send(bookmark(String(version)));
      await clock.advance(60_000);
      if (version > 30) throw new Error('the watch was never given up');
      await until(() => clock.nextTimerMs !== undefined || first.isClosed, 'the watch is read');
    }
    await server.nextWatch();
    expect(lists()).toHaveLength(1);
  });

  it('does not ask in a tight loop when every watch brings only what is known and ends', async () => {
    server.answerLists(page([thing('a', '5')], '9'));
    start();
    for (const _ of [1, 2, 3]) {
      const watch = await server.nextWatch();
      const before = watches().length;
      watch.send(added(thing('a', '5')), bookmark('9'));
      watch.end();
      await until(() => failures.length === before || watches().length > before, 'a failure');
      expect([failures.length, watches().length]).toEqual([before, before]);
      await clock.advance(clock.nextTimerMs ?? 0);
    }
  });

  it('lists again at once when the server that is back has forgotten the version, however often it failed before', async () => {
    const times: { code: ErrorCode; atMs: number }[] = [];
    let listedAtMs = 0;
    const resets = Array.from({ length: 7 }, () => resetConnection);
    server.refuseWatches(...resets, failure(410, { reason: 'Expired' }));
    start({
      observer: {
        onServed: () => (listedAtMs = clock.monotonic()),
        onFailure: (_resource, code) => times.push({ code, atMs: clock.monotonic() }),
      },
    });
    await until(async () => {
      await clock.advance(100);
      return times.length > resets.length && listedAtMs > (times.at(-1)?.atMs ?? Infinity);
    }, 'a list after the server is back');
    const gone = times.at(-1);
    expect(gone?.code).toBe('kube-gone');
    // The last wait while it was away was many times as long.
    expect(gone?.atMs).toBeGreaterThan(60_000);
    expect(listedAtMs - (gone?.atMs ?? 0)).toBeLessThan(3000);
  });

  it('survives a handler that throws', async () => {
    server.answerLists(page([thing('a', '5')], '9'));
    start({
      handlers: {
        onEvent: (event) => {
          events.push(event);
          throw new Error('a bug');
        },
        onSynced: () => {
          throw new Error('a bug');
        },
      },
    });
    const watch = await server.nextWatch();
    watch.send(added(thing('b', '10')));
    await until(() => events.length === 2, 'both events');
    expect(textOf('b')).toBe('text 10');
  });
});

describe('the rest of its life', () => {
  it('keeps one watch a namespace and shows them as one', async () => {
    server.answerLists(page([thing('a', '5')], '9'), page([thing('a', '6', { namespace: 'other', uid: 'x' })], '9'));
    start({ namespaces: ['team', 'other'], labelSelector: 'team=x' });
    await server.nextWatch();
    await server.nextWatch();

    expect(lists().map(({ path }) => path)).toEqual([
      '/apis/example.dev/v1/namespaces/team/things',
      '/apis/example.dev/v1/namespaces/other/things',
    ]);
    expect(server.requests.every(({ query }) => query.get('labelSelector') === 'team=x')).toBe(true);
    expect([...reflector.list()]).toHaveLength(2);
    expect([reflector.hasSynced, syncs]).toEqual([true, 1]);
  });

  it('is alive while it tries, and the age of its last sign says so', async () => {
    server.answerLists(failure(500));
    start();
    await withTime(() => failures.length >= 8, 'eight failures');
    expect(clock.monotonic() - reflector.lastContactMs).toBeLessThan(180_000);
  });

  it('stops at once in every state and leaves no timer and no socket', async () => {
    server.answerLists(silence);
    start();
    await until(() => lists().length === 1, 'the list is asked for');
    await reflector.stop();
    expect(clock.pendingTimers).toBe(0);

    server.answerLists(failure(500));
    start();
    await until(() => failures.length === 1, 'a failure');
    await reflector.stop();
    expect(clock.pendingTimers).toBe(0);

    server.answerLists(page([], '9'));
    start();
    const watch = await server.nextWatch();
    await until(() => clock.pendingTimers === 1, 'the watch is read');
    await reflector.stop();
    expect(clock.pendingTimers).toBe(0);
    await until(() => watch.isClosed, 'the watch is closed');
  });
});

describe('listing again on demand', () => {
  it('gives what the server has after the call, although the watch says nothing', async () => {
    server.answerLists(page([thing('a', '1')], '1'), page([thing('a', '5'), thing('b', '4')], '5'));
    start();
    const first = await server.nextWatch();
    expect(await reflector.relist()).toBe(true);
    expect([...reflector.list()].map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)).toEqual([
      'a 5',
      'b 4',
    ]);
    await until(() => first.isClosed, 'the first watch is closed');
    const second = await server.nextWatch();
    expect(second.query.get('resourceVersion')).toBe('5');
    expect(syncs).toBe(1);
  });

  it('waits for an unreachable server, and resolves differently after a stop', async () => {
    server.answerLists(page([], '1'), failure(503));
    start();
    await server.nextWatch();
    const listed = reflector.relist();
    await until(() => failures.length > 0, 'the list has failed');
    await reflector.stop();
    expect(await listed).toBe(false);
  });
});

describe('a collection that the API server served and now refuses', () => {
  /** Follows it with one object until its watch is open. */
  const follow = async (forgetAfterRefusalMs: number | undefined) => {
    const logged: object[] = [];
    const refusedAtMs: number[] = [];
    const log = { ...silentLogger, error: (fields: object) => void logged.push(fields) };
    server.answerLists(page([thing('a', '5')], '9'));
    start({
      forgetAfterRefusalMs,
      transport: createKubeTransport({ connection, clock }),
      log: { ...silentLogger, child: () => log },
      observer: { onServed: () => undefined, onFailure: () => void refusedAtMs.push(clock.monotonic()) },
    });
    const watch = await server.nextWatch();
    return { watch, logged, refusedForMs: () => (refusedAtMs.at(-1) ?? 0) - (refusedAtMs[0] ?? 0), refusedAtMs };
  };

  it.each([403, 404])(
    'is forgotten after a minute of %i, which is logged once, and whole again once it is served',
    async (status) => {
      const { watch, logged, refusedForMs, refusedAtMs } = await follow(60_000);
      server.refuseWatches(failure(status));
      server.answerLists(failure(status));
      watch.end();
      await withTime(() => [...reflector.list()].length === 0, 'an empty cache');
      expect(refusedForMs()).toBeGreaterThanOrEqual(60_000);
      expect(refusedForMs()).toBeLessThan(90_000);
      const seen = refusedAtMs.length;
      await withTime(() => refusedAtMs.length > seen + 2, 'more refusals');
      expect([eventLog(), logged]).toEqual([['added a', 'deleted a'], [{ objects: 1 }]]);
      server.answerLists(page([thing('a', '20'), thing('b', '20')], '20'));
      await withTime(() => [...reflector.list()].length === 2, 'both objects');
    },
  );

  it('shows what lists bring while only the watch is refused', async () => {
    const { watch, refusedForMs } = await follow(60_000);
    server.refuseWatches(...Array.from({ length: 30 }, () => failure(403)));
    server.answerLists(page([thing('a', '5'), thing('b', '20')], '20'));
    watch.end();
    await withTime(() => refusedForMs() > 120_000, 'two minutes of refused watches');
    expect(eventLog()).toEqual(['added a', 'added b']);
  });

  it.each([
    ['the credential is refused', 401, 60_000],
    ['the API server fails', 500, 60_000],
    ['the operator cannot do without it', 403, undefined],
  ] as const)('is kept while %s', async (_, status, limitMs) => {
    const { watch, refusedForMs } = await follow(limitMs);
    server.refuseWatches(...Array.from({ length: 30 }, () => failure(status)));
    server.answerLists(failure(status));
    watch.end();
    await withTime(() => refusedForMs() > 120_000, 'two minutes of failures');
    expect(eventLog()).toEqual(['added a']);
  });
});
