// An API server that returns after a long outage without its history: how soon the cache is complete again.
import { expect, it, onTestFinished } from 'vitest';

import { silentLogger } from '../../src/lib/log.ts';
import { createReflector } from '../../src/operator/kube/reflector.ts';
import { createKubeTransport } from '../../src/operator/kube/transport.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';
import { until } from '../support/rigs/until.ts';
import { connectTo, failure, page, resetConnection, startWatchServer } from '../support/servers/watch-server.ts';

const away = 7;

it('lists again at once when the server that is back has forgotten the version, however often it failed before', async () => {
  const server = await startWatchServer();
  const connection = connectTo(server.url);
  const clock = new ManualClock();
  const failures: { code: string; atMs: number }[] = [];
  let listedAtMs = 0;
  const reflector = createReflector({
    resource: { group: 'example.dev', version: 'v1', plural: 'things' },
    transport: createKubeTransport({ connection, clock }),
    clock,
    random: { next: () => 0.5 },
    log: silentLogger,
    handlers: { onEvent: () => undefined, onSynced: () => undefined },
    observer: {
      onServed: () => (listedAtMs = clock.monotonic()),
      onFailure: (_resource, code) => failures.push({ code, atMs: clock.monotonic() }),
    },
  });
  onTestFinished(async () => {
    await reflector.stop();
    await connection.close();
    await server.stop();
  });
  const refusals = Array.from({ length: away }, () => resetConnection);
  server.refuseWatches(...refusals, failure(410, { reason: 'Expired' }));
  server.answerLists(page([], '9'));
  reflector.start();
  await until(async () => {
    await clock.advance(100);
    return failures.length > away && listedAtMs > (failures.at(-1)?.atMs ?? Infinity);
  }, 'a list after the server is back');
  const gone = failures.at(-1);
  expect(gone?.code).toBe('kube-gone');
  // The last wait while it was away was many times as long.
  expect(gone?.atMs).toBeGreaterThan(60_000);
  expect(listedAtMs - (gone?.atMs ?? 0)).toBeLessThan(3000);
});
