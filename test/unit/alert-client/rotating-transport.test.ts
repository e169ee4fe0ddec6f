// Sockets that trust a CA bundle as long as it is the one that was last read.
import { beforeEach, expect, test } from 'vitest';

import type { HttpRequest, HttpResponse } from '../../../src/alert-client/http-call.ts';
import { createReading } from '../../../src/alert-client/reading.ts';
import { RotatingTransport } from '../../../src/alert-client/rotating-transport.ts';
import { AlertsError } from '../../../src/alerts/alerts-error.ts';
import type { CodedError } from '../../../src/lib/errors.ts';
import { seededRandom } from '../../../src/lib/random.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';

const response: HttpResponse = { status: 204, headers: {}, body: undefined };
const request = (signal = new AbortController().signal): HttpRequest => ({
  origin: 'https://a.example',
  target: '/',
  method: 'GET',
  headers: [],
  bodyLimitBytes: 1,
  signal,
});

let clock: ManualClock;
let read: () => Promise<string>;
let call: (caBundle: string) => Promise<HttpResponse>;
let opened: string[];
let stopped: string[];
let transport: RotatingTransport;

beforeEach(() => {
  clock = new ManualClock();
  read = async () => 'one';
  call = async () => response;
  opened = [];
  stopped = [];
  transport = new RotatingTransport({
    caBundle: createReading({ clock, random: seededRandom(1), read: () => read() }),
    open: (caBundle) => {
      opened.push(caBundle);
      if (caBundle === 'garbage') throw new AlertsError('tls-failed', 'no certificates');
      return { send: () => call(caBundle), stop: async () => void stopped.push(caBundle) };
    },
  });
});

const send = () => transport.send(request()).then(String, (error: CodedError) => error.code);

test('requests share the sockets of one bundle', async () => {
  await Promise.all([send(), send()]);
  await send();
  expect([opened, stopped]).toEqual([['one'], []]);
});

test.each([
  ['that is gone', async () => Promise.reject(new AlertsError('endpoint-invalid', 'gone')), 'endpoint-invalid'],
  ['that holds no certificates', async () => 'garbage', 'tls-failed'],
])('a bundle %s closes the sockets that trusted the one before', async (_, next, code) => {
  await send();
  read = next;
  await clock.advance(60_000);
  expect([await send(), stopped]).toEqual([code, ['one']]);
});

test('a caller that aborts during a read leaves the sockets open', async () => {
  await send();
  await clock.advance(60_000);
  read = () => new Promise(() => undefined);
  const life = new AbortController();
  const sending = transport.send(request(life.signal));
  life.abort();
  await expect(sending).rejects.toMatchObject({ code: 'stopped' });
  expect(stopped).toEqual([]);
});

test('a failure other than TLS causes neither a retry nor a read', async () => {
  let exchanges = 0;
  call = () => {
    exchanges++;
    return Promise.reject(new AlertsError('service-unreachable', 'away'));
  };
  await send();
  read = async () => 'two';
  expect([await send(), exchanges, opened]).toEqual(['service-unreachable', 2, ['one']]);
});

test('a request is retried once with a renewed bundle', async () => {
  let reads = 0;
  read = async () => `bundle ${reads++}`;
  await send();
  call = () => Promise.reject(new AlertsError('tls-failed', 'untrusted'));
  expect([await send(), opened]).toEqual(['tls-failed', ['bundle 0', 'bundle 1']]);
});

test('a stop closes retired sockets too, and nothing is sent after it', async () => {
  call = () => new Promise(() => undefined);
  void send();
  await clock.advance(60_000);
  read = async () => 'two';
  void send();
  await clock.advance(0);
  await transport.stop();
  expect(stopped.toSorted()).toEqual(['one', 'two']);
  expect([await send(), opened]).toEqual(['stopped', ['one', 'two']]);
});

test('a request whose bundle is read during the stop is not sent', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  read = () => promise;
  const sending = send();
  await transport.stop();
  resolve('one');
  expect([await sending, opened]).toEqual(['stopped', []]);
});
