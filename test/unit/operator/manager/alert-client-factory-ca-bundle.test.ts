// How long a CA bundle is trusted that the API server no longer has as it was read.
import { describe, expect, test } from 'vitest';

import {
  clientAuth,
  ClientFactoryRig,
  permissionWithdrawn,
  secretGone,
} from '../../../support/rigs/alert-client-factory-rig.ts';

const minuteMs = 60_000;

describe('a CA bundle', () => {
  test('that was put right is used by the next request', async () => {
    const rig = new ClientFactoryRig({ hasCaBundle: true });
    rig.caBundle = 'wrong';
    expect(await rig.list()).toBe('tls-failed');
    rig.caBundle = 'authority';
    expect(await rig.list()).toBe('listed');
  });

  test('that is renewed together with the certificate of the service fails no request', async () => {
    const rig = new ClientFactoryRig({ hasCaBundle: true });
    await rig.list();
    rig.caBundle = rig.authority = 'renewed';
    expect(await rig.after(1000, () => rig.list())).toBe('listed');
  });

  test('that no longer holds the authority of the service is used for a minute and no longer', async () => {
    const rig = new ClientFactoryRig({ hasCaBundle: true });
    await rig.list();
    rig.caBundle = 'another';
    expect(await rig.after(minuteMs - 1, () => rig.list())).toBe('listed');
    expect(await rig.after(2, () => rig.patch())).toBe('tls-failed');
    expect(rig.sent.filter((request) => request.startsWith('PATCH'))).toEqual([]);
  });

  test.each([
    ['is gone', secretGone],
    ['may no longer be read', permissionWithdrawn],
  ])('that %s ends the use of the connection within a minute', async (_, end) => {
    const rig = new ClientFactoryRig({ hasCaBundle: true });
    await rig.list();
    rig.caBundle = end;
    const sent = [...rig.sent];
    expect(await rig.after(minuteMs + 1, () => rig.list())).toBe('endpoint-invalid');
    expect([rig.sent, rig.dispatchers.map(({ isDestroyed }) => isDestroyed)]).toEqual([sent, [true]]);
    rig.caBundle = 'authority';
    expect(await rig.after(30_000, () => rig.list())).toBe('listed');
  });

  test('is asked for before the token endpoint gets the client secret', async () => {
    const rig = new ClientFactoryRig({ hasCaBundle: true, auth: clientAuth });
    rig.caBundle = 'wrong';
    expect(await rig.list()).toBe('tls-failed');
    rig.caBundle = 'authority';
    expect(await rig.after(30_000, () => rig.list())).toBe('listed');
    expect(rig.sent).toEqual(['TOKEN first', 'GET for-first']);
  });

  test('that changes lets requests in progress end, then closes their sockets', async () => {
    const rig = new ClientFactoryRig({ hasCaBundle: true, limits: { maxConcurrent: 2, requestTimeout: '5m' } });
    const { promise, resolve } = Promise.withResolvers<void>();
    rig.duringRequest = () => (rig.sent.length === 1 ? promise : Promise.resolve());
    const slow = rig.list();
    await rig.clock.advance(minuteMs + 1);
    rig.caBundle = rig.authority = 'renewed';
    expect(await rig.list()).toBe('listed');
    expect(rig.dispatchers.map(({ isDestroyed }) => isDestroyed)).toEqual([false, false]);
    resolve();
    expect(await slow).toBe('listed');
    await rig.clock.advance(1);
    expect(rig.dispatchers.map(({ isDestroyed }) => isDestroyed)).toEqual([true, false]);
    await rig.client.stop();
    expect(rig.dispatchers.every(({ isDestroyed }) => isDestroyed)).toBe(true);
  });
});
