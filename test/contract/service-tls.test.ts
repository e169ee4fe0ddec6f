// The alerts service over TLS: the authority to trust, what survives a restart, and certificates that other programs renew.
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect as connectPlain, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';

import { Agent, request } from 'undici';
import { beforeEach, describe, expect, test } from 'vitest';

import type { Clock } from '../../src/lib/clock.ts';
import { type RunningAlertsService } from '../../src/service/server.ts';
import type { AlertsServiceOptions } from '../../src/service/service-options.ts';
import { makeSelfSigned } from '../../src/service/tls/self-signed.ts';
import { keepLog } from '../support/rigs/kept-log.ts';
import { ManualClock } from '../support/rigs/manual-clock.ts';
import { newFolder } from '../support/rigs/new-folder.ts';
import { listOne, startService } from '../support/servers/alerts-service-cases.ts';
import { staticToken, type ListBody } from '../support/servers/alerts-service.ts';

const day = 86_400_000;
const selfSigned = { kind: 'self-signed' } as const;

let folder = '';
beforeEach(async () => void (folder = await newFolder()));

const started = (options: Partial<AlertsServiceOptions>) => startService({ pageSize: 2, ...options });

/** A list, by a client that trusts only this authority. */
async function listWith(url: string, ca: string | undefined): Promise<ListBody> {
  const dispatcher = new Agent({ connect: { ca: ca ?? [] } });
  try {
    const answer = await request(url, { dispatcher, headers: { authorization: `Bearer ${staticToken}` } });
    return (await answer.body.json()) as ListBody;
  } finally {
    await dispatcher.destroy();
  }
}

/** The serial number of the certificate that a new connection is shown. */
function shakeHands(url: string, options: ConnectionOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), ...options }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

/** Whatever a client may offer. */
const old = { rejectUnauthorized: false, minVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' } as const;

describe('a connection that does not shake hands', () => {
  /** A socket to the service's port that sends `bytes` and nothing else. */
  const open = (service: RunningAlertsService, bytes = ''): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connectPlain(Number(new URL(service.url).port), '127.0.0.1', () => resolve(socket.resume()));
      socket.once('error', reject);
      if (bytes !== '') socket.write(Buffer.from(bytes, 'hex'));
    });

  test('is closed in time, and others get its place', async () => {
    const limits = { headersTimeoutMs: 300, maxConnections: 2 };
    const service = await started({ tls: selfSigned, limits });
    const sockets = await Promise.all([open(service), open(service, '16030100a5010000a10303')]);
    await Promise.all(sockets.map((socket) => once(socket, 'close')));
    const status = async () => (await listWith(`${service.url}${listOne}`, service.authority)).value.length;
    await expect.poll(() => status().catch(() => 0)).toBe(2);
  });
});

describe('a self-signed certificate', () => {
  test('serves clients that trust its authority, and every nextLink stays within TLS', async () => {
    const service = await started({ tls: selfSigned });
    expect(service.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(service.tokenURL).toBe(`${service.url}/common/oauth2/token`);
    const names: string[] = [];
    for (let next: string | undefined = `${service.url}${listOne}`; next !== undefined;) {
      expect(next.startsWith(`${service.url}/`)).toBe(true);
      const page: ListBody = await listWith(next, service.authority);
      names.push(...page.value.map(({ name }) => name));
      next = page.nextLink;
    }
    expect(names).toEqual(['A', 'B', 'C', 'D', 'E']);
  });

  test.each(['', '0.0.0.0'])(
    'is valid for the URL of a service that listens on every interface, given as "%s"',
    async (host) => {
      const { url, authority } = await started({ tls: selfSigned, listen: { host, port: 0 } });
      expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
      expect((await listWith(`${url}${listOne}`, authority)).value).toHaveLength(2);
    },
  );

  test('stays over a restart, and without a data file every start has a new one', async () => {
    const authorityOf = async (options: Partial<AlertsServiceOptions>) => {
      const service = await started({ tls: selfSigned, ...options });
      await service.stop();
      return service.authority;
    };
    const dataFile = join(folder, 'state.db');
    const first = await authorityOf({ dataFile });
    expect(first).toMatch(/^-----BEGIN CERTIFICATE-----\n/);
    expect(await authorityOf({ dataFile })).toBe(first);
    const named = await authorityOf({ dataFile, publicURL: 'https://alerts.example' });
    expect(named).not.toBe(first);
    expect(await authorityOf({ dataFile, publicURL: 'https://alerts.example:8443' })).toBe(named);
    expect(await authorityOf({})).not.toBe(await authorityOf({}));
  });

  test('is made anew by the start within the last week of its 90 days, and is warned of before', async () => {
    const dataFile = join(folder, 'state.db');
    const { lines, log } = keepLog('warn');
    const clock = new ManualClock(Date.now());
    const first = await started({ tls: selfSigned, dataFile, clock, log });
    await clock.advance(83 * day - 1000);
    expect(lines).toEqual([]);
    await first.stop();
    const second = await started({ tls: selfSigned, dataFile, clock, log });
    expect(second.authority).toBe(first.authority);
    await clock.advance(day);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('self-signed certificate expires soon');
    await second.stop();
    expect((await started({ tls: selfSigned, dataFile, clock, log })).authority).not.toBe(first.authority);
  });
});

describe('TLS', () => {
  test('below 1.2 is refused, whatever the client offers', async () => {
    const service = await started({ tls: selfSigned });
    await expect(shakeHands(service.url, { ...old, maxVersion: 'TLSv1.1' })).rejects.toMatchObject({
      code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    });
    expect(await shakeHands(service.url, { ...old, maxVersion: 'TLSv1.2' })).toMatch(/^[0-9A-F]+$/);
  });
});

describe('certificate files', () => {
  const files = () => ({
    kind: 'files' as const,
    certificateFile: join(folder, 'tls.crt'),
    keyFile: join(folder, 'tls.key'),
  });

  async function writePair(): Promise<{ authority: string; certificate: string; key: string }> {
    const pair = await makeSelfSigned(['127.0.0.1', 'localhost'], Date.now());
    await writeFile(files().certificateFile, pair.certificate);
    await writeFile(files().keyFile, pair.key);
    return pair;
  }

  /** Moves the clock until the world is as expected; the files are read in real time. */
  const checkAgain = async (clock: ManualClock, isSo: () => boolean | Promise<boolean>) => {
    await expect
      .poll(async () => {
        await clock.advance(30_000);
        return isSo();
      })
      .toBe(true);
  };

  const serves = (url: string, { authority }: { authority: string }) =>
    listWith(`${url}${listOne}`, authority).then(
      ({ value }) => value.length === 2,
      () => false,
    );

  test('that were renewed serve new connections, and those that are open go on', async () => {
    const clock = new ManualClock(Date.now());
    const first = await writePair();
    const { url } = await started({ tls: files(), clock });
    const dispatcher = new Agent({ connect: { ca: first.authority }, keepAliveTimeout: 60_000 });
    const listOverOne = () =>
      request(`${url}${listOne}`, { dispatcher, headers: { authorization: `Bearer ${staticToken}` } });
    await (await listOverOne()).body.dump();
    const second = await writePair();
    expect(await serves(url, second)).toBe(false);
    await checkAgain(clock, () => serves(url, second));
    expect(await serves(url, first)).toBe(false);
    expect((await listOverOne()).statusCode).toBe(200);
    await dispatcher.destroy();
  });

  test('that broke are said once, the pair before them stays, and the next good one is taken', async () => {
    const clock = new ManualClock(Date.now());
    const { lines, log } = keepLog('info');
    const said = (message: string) => lines.filter((line) => line.includes(message)).length;
    const first = await writePair();
    const service = await started({ tls: files(), clock, log });
    const { url } = service;
    await writeFile(files().certificateFile, (await makeSelfSigned(['127.0.0.1'], Date.now())).certificate);
    await checkAgain(clock, () => said('new certificate not usable') === 1);
    const checks = countingClock(clock);
    await checkAgain(clock, () => checks() >= 3);
    expect([said('new certificate not usable'), await serves(url, first)]).toEqual([1, true]);
    expect(lines.find((line) => line.includes('not usable'))).toContain(
      'the key does not belong to the (first) certificate',
    );
    const second = await writePair();
    await checkAgain(clock, () => serves(url, second));
    expect(said('certificate renewed')).toBe(1);
    await service.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  test.each([
    ['no certificate', { 'tls.crt': 'nothing' }, /: the certificate is not PEM\.$/],
    ['the key of another', { 'tls.key': 'other' }, /: the key does not belong to the \(first\) certificate\.$/],
  ])('with %s end the start with a sentence', async (_, change, sentence) => {
    await writePair();
    for (const [name, content] of Object.entries(change)) {
      const other = await makeSelfSigned(['127.0.0.1'], Date.now());
      await writeFile(join(folder, name), content === 'other' ? other.key : content);
    }
    await expect(started({ tls: files() })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(sentence),
    });
  });

  test('that are missing end the start, and the data file is free again', async () => {
    const dataFile = join(folder, 'state.db');
    await expect(started({ tls: files(), dataFile })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/Cannot use the certificate .*: ENOENT/),
    });
    await writePair();
    await started({ tls: files(), dataFile });
  });
});

/** How often the one timer of the service was set again. */
function countingClock(clock: ManualClock): () => number {
  const set = clock.setTimer.bind(clock);
  let count = 0;
  const counting: Clock['setTimer'] = (delayMs, callback) => {
    count += 1;
    return set(delayMs, callback);
  };
  clock.setTimer = counting;
  return () => count;
}
