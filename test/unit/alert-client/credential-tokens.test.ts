// Tokens and the credential they were got with.
import { beforeEach, expect, test } from 'vitest';

import { CredentialTokens } from '../../../src/alert-client/credential-tokens.ts';
import type { FetchedToken } from '../../../src/alert-client/tokens.ts';
import { AlertsError } from '../../../src/alerts/alerts-error.ts';
import { CodedError } from '../../../src/lib/errors.ts';
import { silentLogger } from '../../../src/lib/log.ts';
import { seededRandom } from '../../../src/lib/random.ts';
import { SecretText } from '../../../src/lib/secret-text.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';

const signal = new AbortController().signal;
const gone = new AlertsError('credential-missing', 'gone');
let secret: string | CodedError;
let expiries: number;
let fetched: string[];
let fetchToken: (secret: string) => Promise<string>;
let tokens: CredentialTokens;

beforeEach(() => {
  secret = 'first';
  expiries = 0;
  fetched = [];
  fetchToken = async (from) => `${from}-${fetched.length}`;
  tokens = new CredentialTokens({
    clock: new ManualClock(),
    random: seededRandom(1),
    log: silentLogger,
    timeoutMs: 1000,
    credential: {
      async current() {
        if (secret instanceof CodedError) throw secret;
        return new SecretText(secret);
      },
      expire: () => void expiries++,
    },
    openFetch: (credential) => async (): Promise<FetchedToken> => {
      fetched.push(credential.reveal());
      return { token: new SecretText(await fetchToken(credential.reveal())), lifeMs: undefined };
    },
  });
});

const token = async () => (await tokens.token(signal)).reveal();

test('a token is used while its credential is unchanged', async () => {
  expect([await token(), await token(), fetched]).toEqual(['first-1', 'first-1', ['first']]);
});

test('a token does not outlive its credential, not even when the same credential comes back', async () => {
  await token();
  secret = gone;
  await expect(token()).rejects.toMatchObject({ code: 'credential-missing' });
  secret = 'first';
  expect(await token()).toBe('first-2');
});

test('a caller that waited for the token of a former credential gets that of the current one', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  fetchToken = (from) => (from === 'first' ? promise : Promise.resolve('present'));
  const waiting = token();
  await Promise.resolve();
  secret = 'second';
  expect(await token()).toBe('present');
  resolve('former');
  expect(await waiting).toBe('present');
});

test('a late rejection of a former token does not concern the current credential', async () => {
  const former = await tokens.token(signal);
  secret = 'second';
  await token();
  expect(tokens.invalidate(former)).toBe(true);
  expect([await token(), expiries]).toEqual(['second-2', 0]);
});

test('a rejected token is fetched again with the current credential', async () => {
  const refused = await tokens.token(signal);
  secret = 'second';
  expect([tokens.invalidate(refused), expiries]).toEqual([true, 1]);
  expect(await token()).toBe('second-2');
});
