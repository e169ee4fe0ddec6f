// The sockets and the token of a connection, bound to the CA bundle and the credential as they were last read.
import { beforeEach, describe, expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import { CodedError } from '../../../../src/lib/errors.ts';
import { silentLogger } from '../../../../src/lib/log.ts';
import { seededRandom } from '../../../../src/lib/random.ts';
import { SecretText } from '../../../../src/lib/secret-text.ts';
import type { HttpResponse } from '../../../../src/operator/alert-client/http-call.ts';
import { createReading, ServiceWay, type UsedWay } from '../../../../src/operator/alert-client/service-way.ts';
import { ManualClock, settlePromises } from '../../../support/rigs/manual-clock.ts';

const signal = new AbortController().signal;
const response: HttpResponse = { status: 204, headers: {}, body: undefined };
const denied = new AlertsError('service-denied', 'no');
const untrusted = new AlertsError('tls-failed', 'untrusted');
const minuteMs = 60_000;

type Value = string | CodedError | Promise<string>;

let clock: ManualClock;
let secret: Value;
let bundle: Value;
/** `secret` and `bundle`, as often as they were read. */
let reads: string[];
let opened: string[];
let stopped: string[];
let fetched: string[];
let fetchToken: (secret: string) => Promise<string>;
let way: ServiceWay;

async function read(what: string, value: Value): Promise<string> {
  reads.push(what);
  if (value instanceof CodedError) throw value;
  return value;
}

beforeEach(() => {
  clock = new ManualClock();
  secret = 'first';
  bundle = 'one';
  reads = [];
  opened = [];
  stopped = [];
  fetched = [];
  fetchToken = async (from) => `${from}-${fetched.length}`;
  const random = seededRandom(1);
  way = new ServiceWay({
    clock,
    random,
    log: silentLogger,
    timeoutMs: 10 * minuteMs,
    endpoint: { origin: 'https://a.example', pathPrefix: '', providerNamespace: 'V.A', apiVersion: '1' },
    credential: createReading({ clock, read: async () => new SecretText(await read('secret', secret)) }),
    caBundle: createReading({ clock, read: () => read('bundle', bundle) }),
    openTransport(caBundle = 'system') {
      opened.push(caBundle);
      if (caBundle === 'garbage') throw untrusted;
      return { send: async () => response, stop: async () => void stopped.push(caBundle) };
    },
    async fetchToken(credential) {
      fetched.push(credential.reveal());
      return { token: new SecretText(await fetchToken(credential.reveal())), lifeMs: undefined };
    },
  });
});

const used = () => way.use(signal, async (found) => found);
const token = () =>
  used().then(
    (found) => found.token.reveal(),
    (error: CodedError) => error.code,
  );
const mayRetry = (found: UsedWay, error: AlertsError) => way.mayRetry(found, error, signal);

describe('a token', () => {
  test.each([
    ['credential', () => (secret = 'second'), ['first', 'second']],
    ['CA bundle', () => (bundle = 'two'), ['first', 'first']],
  ])('whose fetch fails because the %s has just changed is fetched again at once', async (_, change, expected) => {
    fetchToken = async (from) => {
      if (fetched.length > 1) return `${from}-good`;
      change();
      throw new AlertsError('token-endpoint-failed', 'no');
    };
    expect([await token(), fetched]).toEqual([`${expected[1]}-good`, expected]);
  });

  test('that was rejected is fetched again with the current credential, once in 20 seconds', async () => {
    const first = await used();
    secret = 'second';
    expect(await mayRetry(first, denied)).toBe(true);
    const second = await used();
    expect(second.token.reveal()).toBe('second-2');
    expect(await mayRetry(second, denied)).toBe(true);
    const third = await used();
    expect([third.token.reveal(), await mayRetry(third, denied), await token()]).toEqual([
      'second-3',
      false,
      'second-3',
    ]);
    await clock.advance(20_000);
    expect([await mayRetry(third, denied), await token()]).toEqual([true, 'second-4']);
  });

  test('that was rejected late, after its credential, costs the current one nothing', async () => {
    const former = await used();
    secret = 'second';
    await clock.advance(minuteMs);
    await token();
    const before = reads.length;
    expect([await mayRetry(former, denied), await token(), reads.length]).toEqual([true, 'second-2', before]);
  });
});

test('the failure of the credential is reported first, whichever reading ends first', async () => {
  bundle = new AlertsError('endpoint-invalid', 'gone');
  secret = Promise.resolve().then(() => Promise.reject(new AlertsError('credential-missing', 'gone')));
  expect(await token()).toBe('credential-missing');
});

describe('the sockets', () => {
  test.each([
    ['is gone', new AlertsError('endpoint-invalid', 'gone'), 'endpoint-invalid'],
    ['holds no certificates', 'garbage', 'tls-failed'],
  ])('of a bundle that %s are closed', async (_, next, code) => {
    await token();
    bundle = next;
    await clock.advance(minuteMs);
    expect([await token(), stopped]).toEqual([code, ['one']]);
    bundle = 'two';
    await clock.advance(2000);
    expect(await token()).toBe('first-2');
  });

  test('that are not trusted are worth a retry after the bundle has changed, and nothing else is', async () => {
    const first = await used();
    expect(await mayRetry(first, untrusted)).toBe(false);
    bundle = 'two';
    expect(await mayRetry(first, new AlertsError('service-unreachable', 'away'))).toBe(false);
    expect(opened).toEqual(['one']);
    expect(await mayRetry(first, untrusted)).toBe(true);
    expect([await token(), opened]).toEqual(['first-2', ['one', 'two']]);
  });
});

describe('a stop', () => {
  test('closes former sockets too, and nothing is read or sent after it', async () => {
    const idle = () => new Promise<void>(() => undefined);
    void way.use(signal, idle);
    await settlePromises();
    bundle = 'two';
    await clock.advance(minuteMs);
    void way.use(signal, idle);
    await settlePromises();
    await way.stop();
    const before = reads.length;
    expect([stopped.toSorted(), await token(), reads.length]).toEqual([['one', 'two'], 'stopped', before]);
  });

  test('during a reading leaves nothing open', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    bundle = promise;
    const waiting = token();
    await way.stop();
    resolve('one');
    expect([await waiting, opened]).toEqual(['stopped', []]);
  });
});
