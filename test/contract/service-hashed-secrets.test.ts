// Secrets and passwords that are registered as hashes, and `rolealerts serve hash`, which makes them.
import { expect, test } from 'vitest';

import type { Host, Input } from '../../src/commands/host.ts';
import { runProgram } from '../../src/commands/program.ts';
import { comparisonBounds } from '../../src/service/oauth/authorize/sign-in.ts';
import { parseHashedSecret, type HashedSecret } from '../../src/service/oauth/hashed-secret.ts';
import { askToken, fragmentOf, portalURI, sendForm } from '../support/rigs/oauth-rig.ts';
import { describeService } from '../support/servers/alerts-service-cases.ts';
import { handClock, startOverSocket, type ServiceUnderTest } from '../support/servers/alerts-service.ts';

/** `rolealerts serve hash` with this standard input. */
async function runHash(text: string, isTerminal = false) {
  const printed = { out: '', err: '' };
  const outputOf = (name: 'out' | 'err') => ({
    write: (piece: string) => void (printed[name] += piece),
    isTerminal: false,
    canRedraw: false,
    columns: 80,
    rows: 24,
  });
  const input: Input = { isTerminal, read: async (limit) => Buffer.from(text).subarray(0, limit + 1) };
  const host: Partial<Host> = { env: {}, input, out: outputOf('out'), err: outputOf('err') };
  return { exitCode: await runProgram(['serve', 'hash'], host as Host), ...printed };
}

async function hashOf(secret: string): Promise<HashedSecret> {
  const hashed = parseHashedSecret((await runHash(`${secret}\n`)).out.trimEnd());
  if ('problem' in hashed) throw new Error(hashed.problem);
  return hashed;
}

const ask = async (service: ServiceUnderTest, secret: string) =>
  (await askToken(service, { grant_type: 'client_credentials', client_id: 'job', client_secret: secret })).status;

describeService((started) => {
  test('a client with the hash of its secret gets tokens, and with another secret none', async () => {
    const service = await started({ clients: [{ id: 'job', secretHash: await hashOf('a secret with spaces') }] });
    expect(await ask(service, 'a secret with spaces')).toBe(200);
    expect(await ask(service, 'a secret with spaces')).toBe(200);
    expect(await ask(service, 'another')).toBe(401);
    const hashless = await askToken(service, { grant_type: 'client_credentials', client_id: 'job' });
    expect(hashless.status).toBe(401);
    const authorization = `Basic ${btoa('job:a+secret+with+spaces')}`;
    const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization };
    const body = 'grant_type=client_credentials';
    expect((await service.send({ method: 'POST', target: '/common/oauth2/token', headers, body })).status).toBe(200);
  });

  test('a user with the hash of a password signs in', async () => {
    const service = await started({
      clients: [{ id: 'portal', redirectURIs: [portalURI] }],
      users: [{ name: 'ada', passwordHash: await hashOf('enchantress') }],
    });
    const form = { response_type: 'token', client_id: 'portal', username: 'ada' };
    expect((await sendForm(service, { ...form, password: 'wrong' })).status).toBe(401);
    expect(fragmentOf(await sendForm(service, { ...form, password: 'enchantress' }))).toHaveProperty('access_token');
  });
});

test('wrong secrets of a client with a hash are limited, and beyond the queue refused, but its right one is not', async () => {
  const service = await startOverSocket({
    clock: handClock(),
    clients: [{ id: 'job', secretHash: await hashOf('right') }],
  });
  expect(await ask(service, 'right')).toBe(200);
  const admitted = comparisonBounds.running + comparisonBounds.waitingOfNetwork;
  const flood = Array.from({ length: admitted + 6 }, (_, guess) => ask(service, `guess ${guess}`));
  expect(await ask(service, 'right')).toBe(200);
  const statuses = await Promise.all(flood);
  expect(statuses.filter((status) => status === 401)).toHaveLength(admitted);
  expect(statuses.filter((status) => status === 429)).toHaveLength(6);
  await service.stop();
});

test.each([
  ['nothing', '', 'The secret on standard input is empty.'],
  ['an empty line', '\r\n', 'The secret on standard input is empty.'],
  ['a whole file', 'x'.repeat(5000), 'The secret is longer than 4096 bytes.'],
])('serve hash refuses %s', async (_, text, sentence) => {
  expect(await runHash(text)).toEqual({ exitCode: 64, out: '', err: `rolealerts: ${sentence}\n` });
});

test('serve hash reads no terminal, which would show the secret', async () => {
  const sentence = 'Send the secret on standard input: rolealerts serve hash < FILE.';
  expect(await runHash('secret', true)).toEqual({ exitCode: 64, out: '', err: `rolealerts: ${sentence}\n` });
});
