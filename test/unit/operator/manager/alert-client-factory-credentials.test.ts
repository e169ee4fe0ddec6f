// How long a credential is used that the API server no longer has as it was read.
import { inspect } from 'node:util';

import { describe, expect, test } from 'vitest';

import { type CodedError, StoppedError } from '../../../../src/lib/errors.ts';
import {
  apiServerAway,
  clientAuth,
  ClientFactoryRig,
  labelLost,
  permissionWithdrawn,
  secretGone,
} from '../../../support/rigs/alert-client-factory-rig.ts';
import { settlePromises } from '../../../support/rigs/manual-clock.ts';

const minuteMs = 60_000;
const endings: readonly [string, CodedError, string][] = [
  ['that is gone', secretGone, 'credential-missing'],
  ['that lost its label', labelLost, 'credential-not-allowed'],
  ['that the operator may no longer read', permissionWithdrawn, 'credential-not-allowed'],
];

const call = { priority: 'high', signal: new AbortController().signal } as const;

/** A promise that a test settles by hand. */
function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, wait: () => promise };
}

describe.each([
  { kind: 'a bearer token', auth: undefined, prefix: '' },
  { kind: 'a token for client credentials', auth: clientAuth, prefix: 'for-' },
])('$kind', ({ auth, prefix }) => {
  const rigOf = (limits?: object) => new ClientFactoryRig({ ...(auth && { auth }), ...(limits && { limits }) });

  test.each(endings)(
    'of a Secret %s is used for a minute after its last reading and no longer',
    async (_, end, code) => {
      const rig = rigOf();
      expect(await rig.list()).toBe('listed');
      rig.secret = end;
      expect(await rig.after(minuteMs - 1, () => rig.list())).toBe('listed');
      const sent = [...rig.sent];
      expect([await rig.after(2, () => rig.patch()), await rig.list()]).toEqual([code, code]);
      expect(rig.sent).toEqual(sent);
    },
  );

  test('ends with an unexpected error of its reading, whose text is hidden', async () => {
    const rig = rigOf();
    await rig.list();
    rig.duringReading = () => Promise.reject(new Error('canary'));
    await rig.clock.advance(minuteMs + 1);
    const error: unknown = await rig.client.listAlerts('subscriptions/a', call).catch((failure: unknown) => failure);
    expect(error).toMatchObject({ code: expect.stringMatching(/failed$/) });
    expect(inspect(error, { depth: 10 })).not.toContain('canary');
  });

  test('costs one reading a minute while requests go out, and none while there are none', async () => {
    const rig = rigOf();
    for (let second = 0; second < 600; second += 10) {
      await rig.after(10_000, () => rig.list());
      await rig.list();
    }
    expect(rig.reads.secret).toBeGreaterThanOrEqual(9);
    expect(rig.reads.secret).toBeLessThanOrEqual(10);
    const before = rig.reads.secret;
    await rig.clock.advance(24 * 60 * minuteMs);
    expect(rig.reads.secret).toBe(before);
  });

  test('stays in use while the API server is away, which is asked again every few seconds at most', async () => {
    const rig = rigOf();
    await rig.list();
    rig.secret = apiServerAway;
    await rig.clock.advance(minuteMs);
    const before = rig.reads.secret;
    for (let second = 0; second < 60; second++) expect(await rig.after(1000, () => rig.list())).toBe('listed');
    expect(rig.reads.secret - before).toBeGreaterThanOrEqual(4);
    expect(rig.reads.secret - before).toBeLessThanOrEqual(8);
    rig.secret = secretGone;
    await rig.clock.advance(30_000);
    expect(await rig.list()).toBe('credential-missing');
  });

  test('is used as last read when the API server does not answer within ten seconds', async () => {
    const rig = rigOf();
    await rig.list();
    rig.duringReading = () => new Promise(() => undefined);
    await rig.clock.advance(minuteMs + 1);
    const response = rig.list();
    await rig.clock.advance(10_000);
    expect(await response).toBe('listed');
  });

  test('is used as last read when its reading was stopped', async () => {
    const rig = rigOf();
    await rig.list();
    rig.secret = new StoppedError();
    expect(await rig.after(minuteMs + 1, () => rig.list())).toBe('listed');
  });

  test('is read again after a long wait for a permit, so that no PATCH goes out with one that ended meanwhile', async () => {
    const rig = rigOf({ maxConcurrent: 1, requestTimeout: '5m' });
    await rig.list();
    const slow = gate();
    rig.duringRequest = slow.wait;
    const listing = rig.list();
    const patching = rig.patch();
    await rig.clock.advance(1000);
    rig.secret = secretGone;
    await rig.clock.advance(2 * minuteMs);
    slow.open();
    expect([await listing, await patching]).toEqual(['listed', 'credential-missing']);
    expect(rig.sent.filter((request) => request.startsWith('PATCH'))).toEqual([]);
  });

  test('that is refused is read again at once', async () => {
    const rig = rigOf();
    await rig.list();
    rig.refused.add(`${prefix}first`);
    rig.secret = 'second';
    expect(await rig.after(1000, () => rig.list())).toBe('listed');
    expect(rig.sent.at(-1)).toBe(`GET ${prefix}second`);
  });
});

describe('a bearer token', () => {
  test('that is refused again and again is read again once in twenty seconds', async () => {
    const rig = new ClientFactoryRig();
    rig.refused.add('first');
    expect([await rig.list(), await rig.list(), rig.reads.secret]).toEqual(['service-denied', 'service-denied', 2]);
    expect([await rig.after(20_000, () => rig.list()), rig.reads.secret]).toEqual(['service-denied', 3]);
  });

  test('that is refused late, after its Secret was rotated, costs the current one nothing', async () => {
    const rig = new ClientFactoryRig({ limits: { maxConcurrent: 2, requestTimeout: '5m' } });
    const slow = gate();
    rig.duringRequest = () => (rig.sent.length === 1 ? slow.wait() : Promise.resolve());
    const listing = rig.list();
    await rig.clock.advance(minuteMs + 1);
    rig.secret = 'second';
    expect(await rig.list()).toBe('listed');
    rig.refused.add('first');
    const before = rig.reads.secret;
    slow.open();
    expect([await listing, rig.reads.secret, rig.sent.at(-1)]).toEqual(['listed', before, 'GET second']);
  });

  test('that cannot be read is reported before a CA bundle that cannot be read', async () => {
    const rig = new ClientFactoryRig({ hasCaBundle: true });
    rig.secret = rig.caBundle = secretGone;
    expect(await rig.list()).toBe('credential-missing');
  });
});

describe('a token for client credentials', () => {
  test('whose client secret changes while the token endpoint refuses it is asked for again at once', async () => {
    const rig = new ClientFactoryRig({ auth: clientAuth });
    rig.refused.add('first');
    rig.duringRequest = async () => void (rig.secret = 'second');
    expect(await rig.list()).toBe('listed');
    expect(rig.sent).toEqual(['TOKEN first', 'TOKEN second', 'GET for-second']);
  });

  test('that was asked for with a client secret that changed meanwhile is not used', async () => {
    const rig = new ClientFactoryRig({ auth: clientAuth, limits: { requestTimeout: '5m' } });
    const slow = gate();
    rig.duringRequest = async (method) => (method === 'POST' && rig.sent.length === 1 ? slow.wait() : undefined);
    const first = rig.list();
    await rig.clock.advance(minuteMs + 1);
    rig.secret = 'second';
    const second = rig.list();
    await rig.clock.advance(1);
    slow.open();
    expect([await first, await second]).toEqual(['listed', 'listed']);
    expect(rig.sent.filter((request) => request.startsWith('GET'))).toEqual(['GET for-second', 'GET for-second']);
  });
});

test.each([false, true])(
  'a connection that was closed sends and reads nothing more, whether or not it was used before: %s',
  async (isUsed) => {
    const rig = new ClientFactoryRig();
    if (isUsed) await rig.list();
    const before = { ...rig.reads };
    await rig.client.stop();
    expect([await rig.list(), await rig.patch()]).toEqual(['stopped', 'stopped']);
    expect(rig.reads).toEqual(before);
    expect(rig.dispatchers.filter(({ isDestroyed }) => !isDestroyed)).toEqual([]);
  },
);

test('a caller who gives up during a reading costs the others no token', async () => {
  const rig = new ClientFactoryRig({ auth: clientAuth });
  await rig.list();
  await rig.clock.advance(minuteMs);
  const slow = gate();
  rig.duringReading = slow.wait;
  const life = new AbortController();
  const call = { priority: 'high' as const, signal: life.signal };
  const leaving = rig.client.listAlerts('subscriptions/a', call).catch((error: CodedError) => error.code);
  await settlePromises();
  life.abort();
  expect(await leaving).toBe('stopped');
  slow.open();
  expect(await rig.list()).toBe('listed');
  expect(rig.sent.filter((request) => request.startsWith('TOKEN'))).toHaveLength(1);
});
