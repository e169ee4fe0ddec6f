// The comparison of a client's secret: what costs a derivation, and what does not.
import { expect, test } from 'vitest';

import { SecretText } from '../../../../src/lib/secret-text.ts';
import { createAttemptLimit } from '../../../../src/service/oauth/attempt-limit.ts';
import type { Comparisons } from '../../../../src/service/oauth/comparisons.ts';
import type { HashedSecret } from '../../../../src/service/oauth/hashed-secret.ts';
import { createRegistrations, type ServiceClient } from '../../../../src/service/oauth/registrations.ts';
import { hashSecret } from '../../../../src/service/oauth/secret-hash.ts';
import { loginClient, type ClientLoginDeps } from '../../../../src/service/oauth/token/client-login.ts';
import { createSecretCheck } from '../../../../src/service/oauth/token/secret-check.ts';
import { handClock } from '../../../support/servers/alerts-service.ts';

const hashed = (secret: string): HashedSecret => ({
  cost: { ln: 14, r: 8, p: 5 },
  salt: Buffer.alloc(16),
  key: hashSecret(secret),
});
const client: ServiceClient = { id: 'a', secretHash: hashed('a+b') };

function rig({ isFull = false } = {}) {
  const derived: string[] = [];
  const groups: string[] = [];
  const queue: Comparisons = {
    run: async (network, work) => {
      groups.push(network);
      return isFull ? undefined : work();
    },
  };
  const check = createSecretCheck(queue, async (secret) => {
    derived.push(secret);
    return hashSecret(secret);
  });
  return {
    derived,
    groups,
    ask: (asked: ServiceClient | undefined, ...secrets: string[]) => check.check(asked, secrets, '192.0.2.1'),
  };
}

test('one of the readings of a secret has to be right', async () => {
  const { ask } = rig();
  expect([await ask(client, 'a b', 'a+b'), await ask(client, 'a b', 'a-b')]).toEqual(['right', 'wrong']);
  const plain = { id: 'a', secret: new SecretText('a+b') };
  expect([await ask(plain, 'a b', 'a+b'), await ask(plain, 'a b'), await ask(plain)]).toEqual([
    'right',
    'wrong',
    'wrong',
  ]);
});

test('a secret that was right is derived once, in whichever reading it comes', async () => {
  const { derived, groups, ask } = rig();
  await ask(client, 'a b', 'a+b');
  expect([derived, groups]).toEqual([['a b', 'a+b'], ['192.0.2.1']]);
  expect([await ask(client, 'a b', 'a+b'), await ask(client, 'a+b')]).toEqual(['right', 'right']);
  expect(derived).toHaveLength(2);
});

test('a wrong secret is derived each time, also after a right one', async () => {
  const { derived, ask } = rig();
  await ask(client, 'a+b');
  expect([await ask(client, 'wrong'), await ask(client, 'wrong')]).toEqual(['wrong', 'wrong']);
  expect(derived).toEqual(['a+b', 'wrong', 'wrong']);
});

test('another hash of the client makes an earlier secret wrong', async () => {
  const { ask } = rig();
  await ask(client, 'a+b');
  expect(await ask({ id: 'a', secretHash: hashed('new') }, 'a+b')).toBe('wrong');
});

test('nothing is right for a client that is unknown, or that has no secret', async () => {
  const { derived, ask } = rig();
  expect([await ask(undefined, ''), await ask({ id: 'a' }, ''), await ask({ id: 'a' }, 'x')]).toEqual([
    'wrong',
    'wrong',
    'wrong',
  ]);
  expect(derived).toEqual([]);
});

test('while the queue is full, a hash is not checked', async () => {
  const { ask } = rig({ isFull: true });
  expect([await ask(client, 'a+b'), await ask(client, 'a+b')]).toEqual(['busy', 'busy']);
});

test('a login whose secret is not checked is to be repeated in a second, and is no wrong one', async () => {
  const attempts = createAttemptLimit({ ofName: 1, ofNetwork: 1 }, handClock());
  const registrations = createRegistrations({ clients: [client], users: [] });
  const secrets = { check: async () => 'busy' } as const;
  const deps = { registrations, attempts, secrets } as unknown as ClientLoginDeps;
  const form = new Map([
    ['client_id', 'a'],
    ['client_secret', 'a+b'],
  ]);
  const request = { method: 'POST', target: '/', headers: {}, body: new Uint8Array(), scheme: 'http' } as const;
  for (const _ of [1, 2]) {
    const refusal = { error: 'temporarily_unavailable', description: expect.any(String), retryAfterSeconds: 1 };
    expect(await loginClient(deps, request, form as Parameters<typeof loginClient>[2])).toEqual(refusal);
  }
});
