// The keys of an issuer that a client trusts: when they are read, and how a rotation is followed without a flood of requests.
import { SignJWT } from 'jose';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { createLogger } from '../../../../src/lib/log.ts';
import type { FederatedTrust } from '../../../../src/service/oauth/federated-trust.ts';
import { createIssuerKeys, type IssuerKeys, IssuerKeysError } from '../../../../src/service/oauth/token/issuer-keys.ts';
import { newKeyPair } from '../../../support/rigs/oauth-rig.ts';
import { handClock } from '../../../support/servers/alerts-service.ts';

const [first, second, foreign] = [await newKeyPair(), await newKeyPair(), await newKeyPair()];
const trust: FederatedTrust = {
  issuer: 'https://cluster.example',
  subject: 'system:serviceaccount:team:alerts',
  audience: 'api://alerts',
  keys: { url: 'https://cluster.example/openid/v1/jwks' },
};
const fileTrust: FederatedTrust = { ...trust, keys: { file: '/etc/jwks.json' } };

let clock: ReturnType<typeof handClock>;
let published: Readonly<Record<string, typeof first>> | Error;
let reads: number;
let lines: string[];
let keys: IssuerKeys;
let duringRead: () => Promise<void>;

/** Of the service, and of jose, which reads the clock of the system. */
function advance(ms: number): void {
  clock.advance(ms);
  vi.setSystemTime(Date.now() + ms);
}

afterEach(() => void vi.useRealTimers());
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  clock = handClock();
  published = { one: first };
  reads = 0;
  lines = [];
  duringRead = async () => undefined;
  keys = createIssuerKeys({
    clock,
    log: createLogger({ level: 'info', format: 'json', sink: { write: (line) => void lines.push(line) } }),
    async read() {
      reads += 1;
      await duringRead();
      if (published instanceof Error) throw published;
      return JSON.stringify({
        keys: Object.entries(published).map(([kid, { publicJWK }]) => ({ ...publicJWK, kid, use: 'sig' })),
      });
    },
  });
});

async function outcomeOf(kid: string, { privateKey } = first, trusted = trust): Promise<string> {
  const nowSeconds = clock.now() / 1000;
  const text = await new SignJWT({ exp: nowSeconds + 600 }).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey);
  try {
    await keys.verify(trusted, text, { algorithms: ['ES256'], currentDate: new Date(clock.now()) });
    return 'verified';
  } catch (error) {
    return error instanceof IssuerKeysError ? error.code : 'refused';
  }
}

test('are read again for a token with an unknown key, so a rotation needs no change here', async () => {
  await outcomeOf('one');
  published = { one: first, two: second };
  advance(5000);
  expect(await outcomeOf('two', second)).toBe('verified');
  expect(await outcomeOf('one')).toBe('verified');
  expect(reads).toBe(2);
});

test('are read again at most every five seconds, however many unknown keys are named', async () => {
  await outcomeOf('one');
  for (let second = 0; second < 20; second++) {
    advance(1000);
    for (const kid of ['x', 'y', 'z']) expect(await outcomeOf(kid, foreign)).toBe('refused');
  }
  expect(reads).toBe(5);
});

test.each([
  ['ten minutes from a URL', trust, 600_000],
  ['half a minute from a file', fileTrust, 30_000],
])('are kept for %s, so a withdrawn key is not accepted for longer', async (_, trusted, keptForMs) => {
  await outcomeOf('one', first, trusted);
  published = { two: second };
  advance(keptForMs - 1);
  expect(await outcomeOf('one', first, trusted)).toBe('verified');
  advance(1);
  expect(await outcomeOf('one', first, trusted)).toBe('refused');
});

test('that cannot be read refuse nothing and accept nothing, and are asked for again after five seconds', async () => {
  published = new Error('the response has the status 403');
  expect([await outcomeOf('one'), await outcomeOf('one')]).toEqual(['keys-unavailable', 'keys-unavailable']);
  expect(reads).toBe(1);
  published = { one: first };
  advance(5000);
  expect(await outcomeOf('one')).toBe('verified');
});

test('that cannot be read when they are old are not used any longer', async () => {
  await outcomeOf('one');
  published = new Error('away');
  advance(600_000);
  expect(await outcomeOf('one')).toBe('keys-unavailable');
});

test('that cannot be read are logged once for each problem, with the issuer', async () => {
  published = new Error('the response has the status 403');
  for (let round = 0; round < 3; round++) {
    await outcomeOf('one');
    advance(5000);
  }
  published = new Error('away');
  await outcomeOf('one');
  const logged = lines.map((line) => JSON.parse(line) as { msg: string; issuer: string; error: string });
  expect(logged.map(({ msg, issuer, error }) => [msg, issuer, error])).toEqual([
    ['issuer keys not readable', 'https://cluster.example', 'the response has the status 403'],
    ['issuer keys not readable', 'https://cluster.example', 'away'],
  ]);
});

test.each([
  ['no keys', '{"keys":[]}'],
  ['keys for encryption only', JSON.stringify({ keys: [{ ...first.publicJWK, use: 'enc' }] })],
  ['too many keys', JSON.stringify({ keys: Array.from({ length: 17 }, () => first.publicJWK) })],
])('are not taken from a document with %s', async (_, text) => {
  keys = createIssuerKeys({
    clock,
    log: createLogger({ level: 'error', format: 'json', sink: { write: () => undefined } }),
    read: async () => text,
  });
  expect(await outcomeOf('one')).toBe('keys-unavailable');
});
