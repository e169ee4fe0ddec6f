// The forms of a list: its tag, the response to a client that already has it, and its gzip form (RFC 9110 sections 8.8.3, 13.1.2, 12.5.3).
import { gunzipSync } from 'node:zlib';

import { request } from 'undici';
import { afterEach, describe, expect, test } from 'vitest';

import { startAlertsService, type RunningAlertsService } from '../../src/service/server.ts';
import { describeService, listOne, turnOff } from '../support/servers/alerts-service-cases.ts';
import {
  apiVersion,
  errorOf,
  listOf,
  listPath,
  serviceOptions,
  staticToken,
} from '../support/servers/alerts-service.ts';

const tagOf = ({ headers }: { headers: Readonly<Record<string, unknown>> }) => String(headers['etag']);

describeService((started) => {
  describe('the tag of a list', () => {
    test('stays while the list stays, also before it is kept in memory', async () => {
      const service = await started();
      const tags = new Set<string>();
      for (let sent = 0; sent < 4; sent++) tags.add(tagOf(await service.send({ target: listOne })));
      expect([...tags]).toEqual([expect.stringMatching(/^"[\w-]{22}"$/)]);
    });

    test('changes with an update, and returns when the bytes do', async () => {
      const service = await started();
      const before = tagOf(await service.send({ target: listOne }));
      await service.send({ target: listOne });
      await service.send(turnOff);
      expect(tagOf(await service.send({ target: listOne }))).not.toBe(before);
    });

    test('differs from page to page, and from one spelling of the nextLink to another', async () => {
      const service = await started({ pageSize: 2 });
      const first = await service.send({ target: listOne });
      const second = await service.send({ target: listOf(first).nextLink?.replace(/^https?:\/\/[^/]+/, '') ?? '' });
      const spelled = await service.send({ target: listOne.replace('one', 'ONE') });
      expect(new Set([first, second, spelled].map(tagOf)).size).toBe(3);
    });
  });

  describe('a list that its client already has', () => {
    test.each([
      ['its tag', (tag: string) => tag],
      ['its tag as a weak one', (tag: string) => `W/${tag}`],
      ['its tag among others', (tag: string) => `"other", ${tag}`],
      ['any tag', () => '*'],
    ])('is answered 304 without a body to %s', async (_, header) => {
      const service = await started();
      const tag = tagOf(await service.send({ target: listOne }));
      const received = await service.send({ target: listOne, headers: { 'if-none-match': header(tag) } });
      expect([received.status, received.text, tagOf(received)]).toEqual([304, '', tag]);
    });

    test.each([
      ['another tag', '"other"'],
      ['a tag without quotes', 'other'],
      ['an empty header', ''],
    ])('is sent in full to %s', async (_, header) => {
      const service = await started();
      const received = await service.send({ target: listOne, headers: { 'if-none-match': header } });
      expect([received.status, listOf(received).value.length]).toEqual([200, 5]);
    });

    test.each([
      ['its tag', (tag: string) => tag, '200'],
      ['its tag among others', (tag: string) => `"other", ${tag}`, '200'],
      ['any tag', () => '*', '200'],
      ['another tag', () => '"other"', '412 PreconditionFailed'],
      ['its tag as a weak one', (tag: string) => `W/${tag}`, '412 PreconditionFailed'],
    ])('is sent to a client that insists on %s', async (_, header, expected) => {
      const service = await started();
      const tag = tagOf(await service.send({ target: listOne }));
      const received = await service.send({ target: listOne, headers: { 'if-match': header(tag) } });
      expect(received.status === 200 ? '200' : errorOf(received)).toBe(expected);
    });

    test('is sent in full after each update', async () => {
      const service = await started();
      for (const isActive of [false, true, false]) {
        const tag = tagOf(await service.send({ target: listOne }));
        await service.send({ ...turnOff, body: JSON.stringify({ properties: { isActive } }) });
        const received = await service.send({ target: listOne, headers: { 'if-none-match': tag } });
        expect([received.status, listOf(received).value[0]?.properties['isActive']]).toEqual([200, isActive]);
      }
    });

    test('is not confirmed to a caller without a token, nor for an unknown scope', async () => {
      const service = await started();
      const any = { 'if-none-match': '*' };
      const refused = await service.send({ target: listOne, headers: { ...any, authorization: '' } });
      const unknown = await service.send({ target: `/subscriptions/none${listPath}?${apiVersion}`, headers: any });
      expect([refused, unknown].map(errorOf)).toEqual(['401 AuthenticationRequired', '404 ScopeNotFound']);
    });
  });
});

describe('a large list', () => {
  const running: RunningAlertsService[] = [];
  afterEach(async () => {
    for (const service of running.splice(0)) await service.stop();
  });

  const large = { name: 'A', properties: { isActive: true, note: 'é'.repeat(10_000) } };
  const path = `/subscriptions/large${listPath}`;

  async function started(pageSize = 50): Promise<RunningAlertsService> {
    const seed = { scopes: { 'subscriptions/large': { value: [large, { ...large, name: 'B' }] } } };
    const service = await startAlertsService(serviceOptions({ seed, pageSize }));
    running.push(service);
    return service;
  }

  /** Undecoded, which `fetch` never gives: so over a plain connection. */
  async function receive({ url }: RunningAlertsService, headers: Record<string, string> = {}, method = 'GET') {
    const authorization = `Bearer ${staticToken}`;
    const sent = { method, headers: { authorization, ...headers } } as const;
    const { statusCode: status, headers: received, body } = await request(`${url}${path}?${apiVersion}`, sent);
    return { status, headers: received, bytes: Buffer.from(await body.arrayBuffer()) };
  }

  const gzip = { 'accept-encoding': 'gzip' };

  test('is compressed for a client that accepts gzip, and the same list in all its pages', async () => {
    for (const pageSize of [50, 1]) {
      const service = await started(pageSize);
      const plain = await receive(service);
      const compressed = await receive(service, gzip);
      expect(plain.headers).not.toHaveProperty('content-encoding');
      expect(compressed.headers).toMatchObject({
        'content-encoding': 'gzip',
        'content-length': String(compressed.bytes.length),
        'content-type': 'application/json; charset=utf-8',
      });
      expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 10);
      expect(gunzipSync(compressed.bytes)).toEqual(plain.bytes);
      expect([plain, compressed].map(({ headers }) => headers['vary'])).toEqual(Array(2).fill('Accept-Encoding'));
    }
  });

  test('has a tag of its own in each form, and each confirms only its form', async () => {
    const service = await started();
    const [plain, compressed] = [tagOf(await receive(service)), tagOf(await receive(service, gzip))];
    expect(plain).not.toBe(compressed);
    const statuses: number[] = [];
    for (const headers of [{}, gzip]) {
      for (const tag of [plain, compressed]) {
        statuses.push((await receive(service, { ...headers, 'if-none-match': tag })).status);
      }
    }
    expect(statuses).toEqual([304, 200, 200, 304]);
  });

  test('is compressed anew after an update', async () => {
    const service = await started();
    for (const isActive of [false, true, false]) {
      await receive(service, gzip);
      await service.alerts.putAlert('subscriptions/large', { ...large, properties: { ...large.properties, isActive } });
      const { value } = JSON.parse(gunzipSync((await receive(service, gzip)).bytes).toString()) as {
        value: { properties: { isActive: boolean } }[];
      };
      expect(value[0]?.properties.isActive).toBe(isActive);
    }
  });

  test('is complete for each of many clients that ask at once', async () => {
    const service = await started();
    const plain = await receive(service);
    const received = await Promise.all(Array.from({ length: 20 }, () => receive(service, gzip)));
    for (const { headers, bytes } of received) {
      const body = headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
      expect(body.equals(plain.bytes)).toBe(true);
    }
  });

  test('has the same headers for HEAD', async () => {
    const service = await started();
    const get = await receive(service, gzip);
    const head = await receive(service, gzip, 'HEAD');
    expect(head.bytes).toHaveLength(0);
    for (const name of ['etag', 'content-length', 'content-encoding', 'vary']) {
      expect(head.headers[name]).toBe(get.headers[name]);
    }
  });

  test.each([
    ['', false],
    ['br, zstd', false],
    ['gzip;q=0', false],
    ['gzip;q=0, *', false],
    ['identity', false],
    ['gzip;q=nonsense', false],
    ['deflate, gzip;q=0.5', true],
    ['GZIP', true],
    ['x-gzip', true],
    ['*', true],
  ])('for a client that accepts "%s" is compressed: %s', async (accepted, isCompressed) => {
    const received = await receive(await started(), { 'accept-encoding': accepted });
    expect(received.headers['content-encoding']).toBe(isCompressed ? 'gzip' : undefined);
  });
});

test('a small list is not compressed', async () => {
  const service = await startAlertsService(serviceOptions({ seed: { scopes: { s: { value: [{ name: 'A' }] } } } }));
  const headers = { authorization: `Bearer ${staticToken}`, 'accept-encoding': 'gzip' };
  const received = await request(`${service.url}/s${listPath}?${apiVersion}`, { headers });
  expect(received.headers).not.toHaveProperty('content-encoding');
  expect(received.headers).not.toHaveProperty('vary');
  await received.body.dump();
  await service.stop();
});
