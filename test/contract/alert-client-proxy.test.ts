// The client behind a proxy: what it asks the proxy for, what the proxy can read, and what a failing proxy means.
import { type LookupFunction } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { readProxies } from '../../src/commands/options/proxy-variables.ts';
import { systemClock } from '../../src/lib/clock.ts';
import {
  createAlertTransport,
  type Transport,
  type TransportOptions,
} from '../../src/operator/alert-client/transport.ts';
import { startAlertsService } from '../../src/service/server.ts';
import { makeSelfSigned, type SelfSigned } from '../../src/service/tls/self-signed.ts';
import { call, connectClient, failureOf } from '../support/rigs/alert-client-rig.ts';
import { serviceOptions } from '../support/servers/alerts-service.ts';
import { type ConnectProxy, type ConnectProxyOptions, startConnectProxy } from '../support/servers/connect-proxy.ts';
import { answer, startScriptedServer } from '../support/servers/scripted-server.ts';

const secret = 's3cret/with:odd +chars%';
const scope = 'subscriptions/behind';
const seed = { scopes: { [scope]: { value: [{ name: 'A', properties: { isActive: false, alertIncidents: [] } }] } } };

/** The certificate of alerts.example and localhost, and the authority that signed it. */
let made: SelfSigned;
beforeAll(async () => {
  made = await makeSelfSigned(['alerts.example', 'localhost'], Date.now());
});
const tls = () => ({ key: made.key, cert: made.certificate });

async function proxyWith(options: ConnectProxyOptions): Promise<ConnectProxy> {
  const proxy = await startConnectProxy(options);
  onTestFinished(() => proxy.stop());
  return proxy;
}

const viaProxy = (port: number, environment: Record<string, string> = {}) =>
  readProxies({ HTTPS_PROXY: `127.0.0.1:${port}`, HTTP_PROXY: `127.0.0.1:${port}`, ...environment });

test('the operator and the alerts service over TLS work through a proxy, which sees host names and no token, secret or path', async () => {
  const service = await startAlertsService(
    serviceOptions({ seed, publicURL: 'https://alerts.example', tls: { kind: 'self-signed' } }),
  );
  onTestFinished(() => service.stop());
  const proxy = await proxyWith({ targetPort: Number(new URL(service.url).port) });
  const tokenURL = 'https://alerts.example/common/oauth2/token';
  const client = connectClient('https://alerts.example', secret, {
    authentication: { kind: 'ClientCredentials', tokenURL, clientID: 'operator', scopes: [] },
    readCaBundle: async () => service.authority ?? '',
    proxies: viaProxy(proxy.port),
    allowHttp: false,
    allowPrivateEndpoints: false,
  });
  onTestFinished(() => client.stop());
  expect((await client.listAlerts(scope, call())).alerts).toHaveLength(1);
  expect(await client.patchAlert(scope, 'A', true, call())).toBe('sent');
  expect((await client.listAlerts(scope, call())).alerts).toMatchObject([{ name: 'A', isActive: true }]);
  expect(new Set(proxy.asked)).toEqual(new Set(['alerts.example:443']));
  expect(proxy.others).toEqual([]);
  expect(proxy.received()).toMatch(/^CONNECT alerts\.example:443 HTTP\/1\.1\r\n/);
  const basic = Buffer.from(`operator:${encodeURIComponent(secret)}`).toString('base64');
  for (const text of [secret, encodeURIComponent(secret), basic, 'Bearer', 'roleManagementAlerts', scope, 'oauth2'])
    expect(proxy.received()).not.toContain(text);
});

const toLoopback: LookupFunction = (_hostname, { all }, callback) => {
  if (all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
  else callback(null, '127.0.0.1', 4);
};

function transportWith(options: Partial<TransportOptions>): Transport {
  const transport = createAlertTransport({
    clock: systemClock,
    requestTimeoutMs: 300_000,
    maxConcurrent: 1,
    allowPrivateEndpoints: true,
    lookup: toLoopback,
    ...options,
  });
  onTestFinished(() => transport.stop());
  return transport;
}

const request = (origin: string) => ({
  origin,
  target: '/path?query',
  method: 'GET' as const,
  headers: ['authorization', 'Bearer canary-token'],
  bodyLimitBytes: 1000,
  signal: new AbortController().signal,
});

describe('a request', () => {
  const tlsServer = async () => {
    const server = await startScriptedServer((_, response) => answer(response, 200, {}), tls());
    onTestFinished(() => server.stop());
    return server;
  };

  test('to a host of NO_PROXY does not ask the proxy', async () => {
    const server = await tlsServer();
    const proxy = await proxyWith({ targetPort: server.port });
    const proxies = viaProxy(proxy.port, { NO_PROXY: 'other.example,alerts.example' });
    const transport = transportWith({ proxies, caBundle: made.authority });
    expect((await transport.send(request(`https://alerts.example:${server.port}`))).status).toBe(200);
    expect([proxy.asked, server.requests.length]).toEqual([[], 1]);
    const without = transportWith({ proxies: viaProxy(proxy.port), caBundle: made.authority });
    expect((await without.send(request(`https://alerts.example:${server.port}`))).status).toBe(200);
    expect(proxy.asked).toEqual([`alerts.example:${server.port}`]);
  });

  test('over plain HTTP is tunnelled as well, and not given to the proxy', async () => {
    await using server = await startScriptedServer((_, response) => answer(response, 200, {}));
    const proxy = await proxyWith({ targetPort: server.port });
    const transport = transportWith({ proxies: viaProxy(proxy.port) });
    expect((await transport.send(request('http://alerts.example'))).status).toBe(200);
    expect([proxy.asked, proxy.others]).toEqual([['alerts.example:80'], []]);
    expect(server.requests).toMatchObject([{ url: '/path?query', headers: { host: 'alerts.example' } }]);
  });

  test('gives the proxy the credentials of its URL, and nothing of them to the service', async () => {
    const server = await tlsServer();
    const proxy = await proxyWith({ targetPort: server.port });
    const proxies = readProxies({ HTTPS_PROXY: `http://user:canary-proxy@127.0.0.1:${proxy.port}` });
    const transport = transportWith({ proxies, caBundle: made.authority });
    await transport.send(request('https://alerts.example'));
    expect(proxy.authorization()).toBe(`Basic ${Buffer.from('user:canary-proxy').toString('base64')}`);
    expect(JSON.stringify(server.requests)).not.toMatch(/proxy/i);
  });

  test('trusts the CA bundle for the service only, and the authorities of the system for a proxy over TLS', async () => {
    const server = await tlsServer();
    const proxy = await proxyWith({ targetPort: server.port, tls: tls() });
    const proxies = readProxies({ HTTPS_PROXY: `https://localhost:${proxy.port}` });
    const { error } = await failureOf(
      transportWith({ proxies, caBundle: made.authority }).send(request('https://alerts.example')),
    );
    expect(error).toMatchObject({
      code: 'service-unreachable',
      message: `The service could not be reached: the proxy localhost:${proxy.port} cannot be reached (the authority of the certificate is unknown).`,
    });
    const system = getCACertificates('default');
    setDefaultCACertificates([...system, made.authority]);
    try {
      const transport = transportWith({ proxies, caBundle: made.authority });
      expect((await transport.send(request('https://alerts.example'))).status).toBe(200);
      expect(proxy.received()).not.toContain('canary-token');
    } finally {
      setDefaultCACertificates(system);
    }
  });

  test('fails with tls-failed, and the name of the proxy, when the service behind it is not trusted', async () => {
    const server = await tlsServer();
    const proxy = await proxyWith({ targetPort: server.port });
    const other = await makeSelfSigned(['alerts.example'], Date.now());
    const transport = transportWith({ proxies: viaProxy(proxy.port), caBundle: other.authority });
    expect((await failureOf(transport.send(request('https://alerts.example')))).error).toMatchObject({
      code: 'tls-failed',
      message: `The TLS connection to the service through the proxy 127.0.0.1:${proxy.port} is not trusted: the authority of the certificate is unknown.`,
    });
    expect(server.requests).toEqual([]);
  });

  test('to an IPv6 address names it in brackets', async () => {
    const proxy = await proxyWith({ answer: 'HTTP/1.1 403 Forbidden\r\n\r\n' });
    const transport = transportWith({ proxies: viaProxy(proxy.port) });
    await failureOf(transport.send(request('https://[2001:db8::7]:8443')));
    expect(proxy.received()).toMatch(
      /^CONNECT \[2001:db8::7\]:8443 HTTP\/1\.1\r\n(?:.*\r\n)*host: \[2001:db8::7\]:8443\r\n/i,
    );
  });

  test.each(['https://10.0.0.1', 'https://169.254.169.254', 'https://[fd00::1]', 'https://[::ffff:10.0.0.1]'])(
    'to %s is refused without a question to the proxy, whose own address is private',
    async (origin) => {
      const proxy = await proxyWith({});
      const transport = transportWith({ proxies: viaProxy(proxy.port), allowPrivateEndpoints: false });
      expect((await failureOf(transport.send(request(origin)))).error.code).toBe('endpoint-invalid');
      expect(proxy.asked).toEqual([]);
    },
  );

  test.each(['metadata.google.internal', 'kubernetes.default.svc', 'metadata'])(
    'to the private name %s is refused without a question to the proxy, unless private endpoints are allowed',
    async (name) => {
      const proxy = await proxyWith({ answer: 'HTTP/1.1 403 Forbidden\r\n\r\n' });
      const proxies = viaProxy(proxy.port);
      const strict = transportWith({ proxies, allowPrivateEndpoints: false });
      const { error } = await failureOf(strict.send(request(`https://${name}`)));
      expect([error.code, proxy.asked]).toEqual(['endpoint-invalid', []]);
      expect(error.message).toMatch(/private network; .* --allow-private-endpoints/);
      const lenient = transportWith({ proxies });
      expect((await failureOf(lenient.send(request(`https://${name}`)))).error.code).toBe('service-unreachable');
      expect(proxy.asked).toHaveLength(1);
    },
  );
});

describe('a proxy', () => {
  const failureWith = async (options: ConnectProxyOptions, requestTimeoutMs = 300_000) => {
    const proxy = await proxyWith(options);
    const proxies = readProxies({ HTTPS_PROXY: `http://user:canary-proxy@127.0.0.1:${proxy.port}` });
    const transport = transportWith({ proxies, requestTimeoutMs });
    const { error, printed } = await failureOf(transport.send(request('https://alerts.example')));
    expect(printed).not.toContain('canary');
    await expect.poll(() => proxy.openSockets()).toBe(0);
    return { code: error.code, message: error.message.replace(String(proxy.port), 'PORT') };
  };

  // Each leaves no socket behind.
  test.each([
    [
      '407 Proxy Authentication Required',
      'requires other credentials than its URL in the proxy variables has (status 407)',
    ],
    ['403 Forbidden', 'does not allow this host (status 403)'],
    ['502 Bad Gateway', 'answered CONNECT with status 502'],
  ])('that answers %s is named in the error', async (status, what) => {
    expect(await failureWith({ answer: `HTTP/1.1 ${status}\r\ncontent-length: 2\r\n\r\nno` })).toMatchObject({
      code: 'service-unreachable',
      message: `The service could not be reached: the proxy 127.0.0.1:PORT ${what}.`,
    });
  });

  test('that does not run is named in the error', async () => {
    const proxy = await startConnectProxy({});
    await proxy.stop();
    const transport = transportWith({ proxies: viaProxy(proxy.port) });
    expect((await failureOf(transport.send(request('https://alerts.example')))).error).toMatchObject({
      code: 'service-unreachable',
      message: `The service could not be reached: the proxy 127.0.0.1:${proxy.port} cannot be reached (the connection was refused).`,
    });
  });

  test('that never answers holds a request to its deadline, and no socket after it', async () => {
    expect((await failureWith({ answer: '' }, 100)).code).toBe('service-unreachable');
  });

  test('that never answers does not keep the client from stopping', async () => {
    const proxy = await proxyWith({ answer: '' });
    const transport = transportWith({ proxies: viaProxy(proxy.port) });
    const failure = failureOf(transport.send(request('https://alerts.example')));
    await expect.poll(() => proxy.asked.length).toBe(1);
    await transport.stop();
    expect((await failure).error.code).toBe('stopped');
    await expect.poll(() => proxy.openSockets()).toBe(0);
  });
});
