// Which texts are tokens, and when one is fetched, renewed and given up.
import { beforeEach, describe, expect, test } from 'vitest';

import { AlertsError } from '../../../../src/alerts/alerts-error.ts';
import type { Cached } from '../../../../src/lib/cached.ts';
import { LocalError } from '../../../../src/lib/command-errors.ts';
import type { CodedError } from '../../../../src/lib/errors.ts';
import { createLogger } from '../../../../src/lib/log.ts';
import { seededRandom } from '../../../../src/lib/random.ts';
import { SecretText } from '../../../../src/lib/secret-text.ts';
import {
  createTokens,
  type FetchedToken,
  isHeaderSafe,
  parseBearerToken,
} from '../../../../src/operator/alert-client/tokens.ts';
import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import { ManualClock, settlePromises } from '../../../support/rigs/manual-clock.ts';

const signal = new AbortController().signal;
const lifeMs = 3_600_000;
let clock: ManualClock;
let fetches: number;
let logged: string[];
let fetchToken: (signal: AbortSignal) => Promise<FetchedToken>;
let tokens: Cached<SecretText>;

beforeEach(() => {
  clock = new ManualClock();
  fetches = 0;
  logged = [];
  fetchToken = async () => ({ token: new SecretText(`t${fetches}`), lifeMs });
  tokens = createTokens({
    clock,
    random: seededRandom(1),
    log: createLogger({ level: 'debug', format: 'json', sink: { write: (line) => logged.push(line) } }),
    timeoutMs: 10_000,
    fetchToken: (fetchSignal) => {
      fetches += 1;
      return fetchToken(fetchSignal);
    },
  });
});

async function current(): Promise<string> {
  return (await tokens.current(signal)).reveal();
}

async function codeOfNext(): Promise<string> {
  return current().catch((error: CodedError) => error.code);
}

test('a token is renewed in the background after four fifths of its life', async () => {
  await current();
  await clock.advance(lifeMs * 0.75);
  expect(await current()).toBe('t1');
  await settlePromises();
  expect(fetches).toBe(1);
  await clock.advance(lifeMs * 0.1);
  expect(await current()).toBe('t1');
  await settlePromises();
  expect([fetches, await current()]).toEqual([2, 't2']);
});

describe('a token whose fetch fails', () => {
  test('is fetched again within 30 seconds, however long the API server asks to wait', async () => {
    const retryAfterMs = 999_999_999_000;
    fetchToken = () => Promise.reject(new KubeError('kube-unreachable', 'busy', { status: 429, retryAfterMs }));
    await codeOfNext();
    await clock.advance(29_000);
    await codeOfNext();
    expect(fetches).toBe(1);
    fetchToken = async () => ({ token: new SecretText('good'), lifeMs });
    await clock.advance(1000);
    expect(await current()).toBe('good');
  });

  test('is not fetched again before the token endpoint allows it', async () => {
    fetchToken = () => Promise.reject(new AlertsError('token-endpoint-failed', 'busy', { retryAfterMs: lifeMs }));
    await codeOfNext();
    await clock.advance(lifeMs - 1);
    expect([await codeOfNext(), fetches]).toEqual(['token-endpoint-failed', 1]);
  });

  test('hides the text of an unexpected error', async () => {
    fetchToken = () => Promise.reject(new Error('canary'));
    const error: CodedError = await Promise.resolve(tokens.current(signal)).then(
      () => new LocalError('none'),
      (failure) => failure,
    );
    expect([error.code, error.message.includes('canary'), error.cause]).toEqual([
      'token-endpoint-failed',
      false,
      undefined,
    ]);
  });
});

const parsed = (text: string) => parseBearerToken(new SecretText(text)).reveal();

test('a bearer token is up to 16,384 visible characters of ASCII', () => {
  const longest = 'x'.repeat(16_384);
  expect(parsed(longest)).toBe(longest);
  expect(() => parsed(`${longest}x`)).toThrow('too long');
  expect([isHeaderSafe(longest), isHeaderSafe(`${longest}x`), isHeaderSafe('!~'), isHeaderSafe('')]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

test('an empty bearer token, and one with a space inside, have different messages, and the reason of a value that cannot be used', () => {
  expect(() => parsed(' \n')).toThrow('empty');
  expect(() => parsed('a b')).toThrow('contains a space');
  expect(() => parsed('a b')).toThrow(expect.objectContaining({ reason: 'SecretInvalid' }));
});
