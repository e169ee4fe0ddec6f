// Access tokens by themselves: how long they are valid, which texts are verified at all, and what is remembered of them.
import { expect, test } from 'vitest';

import { silentLogger } from '../../../../src/lib/log.ts';
import { systemSecrets } from '../../../../src/lib/secret-text.ts';
import { openDatabase } from '../../../../src/service/database/open-database.ts';
import { createAccessTokens, type TokenGrant } from '../../../../src/service/oauth/keys/access-tokens.ts';
import { openSigningKeys } from '../../../../src/service/oauth/keys/signing-keys.ts';
import { handClock } from '../../../support/servers/alerts-service.ts';

const grant: TokenGrant = { subject: 'a', subjectType: 'client', clientID: 'a', scopes: ['alerts.read'] };

async function rig({ lifetimeMs = 60_000 } = {}) {
  const clock = handClock();
  const tokens = createAccessTokens({
    keys: await openSigningKeys(openDatabase(undefined).sql, clock),
    publicURL: () => 'https://alerts.example',
    lifetimeMs,
    clock,
    newSecret: systemSecrets,
    log: silentLogger,
  });
  const check = (text: string) => tokens.check(text, text, undefined);
  const issue = async (wanted: Partial<TokenGrant> = {}) => (await tokens.issue({ ...grant, ...wanted })).text;
  return { clock, tokens, check, issue };
}

test.each<[string, Partial<TokenGrant>]>([
  ['a client', {}],
  ['a user', { subject: 'ada', subjectType: 'user', scopes: ['user_impersonation', 'alerts.read'] }],
])('a token returns the grant of %s, also when it is recalled', async (_, wanted) => {
  const { tokens, check, issue } = await rig();
  const text = await issue(wanted);
  expect(tokens.recall(text)).toBeUndefined();
  expect(await check(text)).toStrictEqual({ ...grant, ...wanted });
  expect(tokens.recall(text)).toStrictEqual({ ...grant, ...wanted });
});

test('a token is valid until its lifetime has passed, verified or recalled', async () => {
  const { clock, tokens, check, issue } = await rig();
  const [seen, unseen] = [await issue(), await issue()];
  await check(seen);
  clock.advance(59_999);
  expect(tokens.recall(seen)).toEqual(grant);
  clock.advance(1);
  expect([tokens.recall(seen), await check(unseen)]).toEqual(['stale', 'stale']);
});

test('the lifetime is announced in whole seconds', async () => {
  const { tokens } = await rig({ lifetimeMs: 61_999 });
  expect((await tokens.issue(grant)).lifetimeSeconds).toBe(61);
});

test('a token may come from a process whose clock is half a minute ahead, but not more', async () => {
  const { clock, check, issue } = await rig({ lifetimeMs: 3_600_000 });
  clock.advance(31_000);
  const text = await issue();
  clock.advance(-30_000);
  expect(await check(text)).toEqual(grant);
  clock.advance(-1000);
  expect(await check(text)).toBe('stale');
});

test('a text longer than any issued token is not verified, even one that this service signed', async () => {
  const { check, issue } = await rig();
  const long = await issue({ subject: 'a'.repeat(4096) });
  expect(await check(long)).toBe('foreign');
});

test.each([
  ['of another service', 'https://other.example'],
  ['with a slash more', 'https://alerts.example/'],
])('a token %s is refused', async (_, publicURL) => {
  const clock = handClock();
  const keys = await openSigningKeys(openDatabase(undefined).sql, clock);
  const rest = { keys, lifetimeMs: 60_000, clock, newSecret: systemSecrets, log: silentLogger };
  const { text } = await createAccessTokens({ ...rest, publicURL: () => publicURL }).issue(grant);
  const here = createAccessTokens({ ...rest, publicURL: () => 'https://alerts.example' });
  expect([await here.check(text, text, undefined), here.recall(text)]).toEqual(['stale', undefined]);
});
