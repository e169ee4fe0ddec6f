// What the service makes of a public URL, of proxies in front of it and of targets in absolute form: the origin of links, and the
// address that limits and the access log use. Over sockets, with requests written byte by byte.
import { describe, expect, onTestFinished, test } from 'vitest';

import type { AlertsServiceOptions } from '../../src/service/service-options.ts';
import { keepAccessLog } from '../support/rigs/kept-log.ts';
import { openConnection } from '../support/rigs/raw-http.ts';
import { listOne, startService } from '../support/servers/alerts-service-cases.ts';
import { staticToken, type ListBody } from '../support/servers/alerts-service.ts';

async function started(options: Partial<AlertsServiceOptions> = {}) {
  const service = await startService({ pageSize: 1, ...options });
  const list = async (headers: Record<string, string>, target = listOne) => {
    const connection = await openConnection(service.url);
    onTestFinished(() => connection.close());
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    return connection.ask(`GET ${target} HTTP/1.1`, `Authorization: Bearer ${staticToken}`, ...lines);
  };
  return { ...service, list };
}

/** Everything before the path of the nextLink. */
async function linkOriginOf(answer: ReturnType<Awaited<ReturnType<typeof started>>['list']>): Promise<string> {
  const { nextLink = '' } = JSON.parse((await answer).text) as ListBody;
  return nextLink.slice(0, nextLink.indexOf('/subscriptions'));
}

const publicURL = 'https://alerts.example';
const proxies = { trustedProxies: ['127.0.0.1'] };
const throughProxy = { host: 'upstream:8080', 'x-forwarded-for': '192.0.2.9' };

describe('with a public URL, a nextLink begins with it', () => {
  test.each([
    ['the host alone', 'alerts.example'],
    ['the name that a proxy knows', 'upstream:8080'],
  ])('for %s in Host', async (_, host) => {
    const { list } = await started({ publicURL });
    expect(await linkOriginOf(list({ host }))).toBe(publicURL);
  });

  test('whatever a trusted proxy reports, and for a target in absolute form', async () => {
    const { list, tokenURL } = await started({ publicURL, ...proxies });
    expect(tokenURL).toBe(`${publicURL}/common/oauth2/token`);
    expect(await linkOriginOf(list({ ...throughProxy, 'x-forwarded-host': 'other.example' }))).toBe(publicURL);
    expect(await linkOriginOf(list({ host: 'a' }, `http://other.example${listOne}`))).toBe(publicURL);
  });
});

describe('a target in absolute form', () => {
  test.each([
    ['http://alerts.example', 'http://alerts.example'],
    ['HTTP://alerts.example:8080', 'http://alerts.example:8080'],
  ])('%s replaces the Host header', async (origin, expected) => {
    const { list } = await started();
    expect(await linkOriginOf(list({ host: 'evil.example' }, `${origin}${listOne}`))).toBe(expected);
  });

  test.each(['ftp://alerts.example', 'https://alerts.example', 'http://user@alerts.example'])(
    '%s is refused on a plain connection',
    async (origin) => {
      const { list } = await started();
      const { status, text } = await list({ host: 'alerts.example' }, `${origin}${listOne}`);
      expect([status, JSON.parse(text)]).toMatchObject([400, { error: { code: 'InvalidTarget' } }]);
    },
  );
});

describe('a trusted proxy', () => {
  test('reports the origin that the client addressed', async () => {
    const { list } = await started(proxies);
    const headers = { ...throughProxy, 'x-forwarded-proto': 'https', 'x-forwarded-host': 'alerts.example' };
    expect(await linkOriginOf(list(headers))).toBe('https://alerts.example');
    expect(await linkOriginOf(list(throughProxy))).toBe('http://upstream:8080');
  });

  test('may send an https target for a client that it serves over TLS', async () => {
    const { list } = await started(proxies);
    const answer = list({ ...throughProxy, 'x-forwarded-proto': 'https' }, `https://alerts.example${listOne}`);
    expect(await linkOriginOf(answer)).toBe('https://alerts.example');
  });

  test('is not what the access log names as the client', async () => {
    const { lines, accessLog } = keepAccessLog();
    const { list } = await started({ ...proxies, accessLog });
    await list(throughProxy);
    await list({ host: 'a' });
    const addresses = lines.map((line) => (JSON.parse(line) as { clientAddress?: string }).clientAddress);
    expect(addresses).toEqual(['192.0.2.9', '127.0.0.1']);
  });
});
