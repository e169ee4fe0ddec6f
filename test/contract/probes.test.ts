// The probes, and the metrics endpoint over a socket: long texts, clients that go away, and failures.
import { get, type IncomingMessage } from 'node:http';

import { expect, onTestFinished, test } from 'vitest';

import { startProbes } from '../../src/operator/manager/probes.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';

const part = `${'x'.repeat(65_535)}\n`;

async function serve(scrape: () => Promise<Iterable<string>>, clock = new ManualClock()): Promise<string> {
  const address = { host: '127.0.0.1', port: 0 };
  const health = { isLive: () => true, isReady: () => true };
  const probes = await startProbes({ probes: undefined, metrics: address }, health, scrape, clock);
  onTestFinished(() => probes.stop());
  return `${probes.metricsURL}/metrics`;
}

test('a scrape of many parts arrives whole, as the text format of Prometheus', async () => {
  const response = await fetch(await serve(async () => Array.from({ length: 300 }, () => part)));
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect((await response.text()).length).toBe(300 * part.length);
});

test('the text ends with a client that goes away', async () => {
  const ended = Promise.withResolvers<void>();
  const url = await serve(async () => endless(ended.resolve));
  const request = get(url, (response) => response.once('data', () => request.destroy()));
  request.on('error', () => undefined);
  await expect(ended.promise).resolves.toBeUndefined();
});

test('metrics that fail answer 500', async () => {
  const url = await serve(() => Promise.reject(new Error('made to fail')));
  expect((await fetch(url)).status).toBe(500);
});

test('a text that fails in the middle is cut off, so that Prometheus does not take it for whole', async () => {
  function* failing() {
    yield part;
    throw new Error('made to fail');
  }
  const url = await serve(async () => failing());
  await expect(fetch(url).then((response) => response.text())).rejects.toThrow('terminated');
});

/** A text that never ends, so that a client that reads nothing keeps it open. */
function* endless(onEnd: () => void = () => undefined) {
  try {
    for (;;) yield part;
  } finally {
    onEnd();
  }
}

/** Requests the metrics and reads no more than the headers. */
function stall(url: string): Promise<IncomingMessage> {
  return new Promise((resolve) => {
    const request = get(url, { agent: false }, (response) => resolve(response.on('error', () => undefined)));
    request.on('error', () => undefined);
    onTestFinished(() => void request.destroy());
  });
}

test('scrapes beyond sixteen at a time answer 503 until the others, which no client reads, are cut off after 30 seconds', async () => {
  const clock = new ManualClock();
  let scrapes = 0;
  const url = await serve(async () => {
    scrapes++;
    return scrapes > 16 ? [part] : endless();
  }, clock);
  await Promise.all(Array.from({ length: 16 }, () => stall(url)));
  expect((await fetch(url)).status).toBe(503);
  expect(scrapes).toBe(16);
  await clock.advance(30_000);
  await expect.poll(async () => (await fetch(url)).status).toBe(200);
});
