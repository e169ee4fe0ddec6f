// `rolealerts serve` with everything that its flags ask for, in this process: what it prints, what it serves beside the service,
// and in which order it stops.
import { once } from 'node:events';
import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';

import { Agent, request } from 'undici';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import { messageOf } from '../../src/lib/errors.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import { newFolder } from '../support/rigs/new-folder.ts';
import { beginServe, type Served } from '../support/rigs/serve-rig.ts';
import { alertA, listOne, seed, turnOff } from '../support/servers/alerts-service-cases.ts';
import { staticToken } from '../support/servers/alerts-service.ts';

let folder = '';
const stops: (() => Promise<unknown>)[] = [];
beforeEach(async () => void (folder = await newFolder()));
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

async function serve(change: Readonly<Record<string, unknown>>): Promise<Served> {
  const { serving, stop } = beginServe(change);
  stops.push(() => stop().catch(() => undefined));
  return serving;
}

async function seedFile(): Promise<string> {
  const file = join(folder, 'seed.json');
  await writeFile(file, JSON.stringify(seed));
  return file;
}

const textOf = async (url: string) => (await request(url)).body.text();
const statusOf = async (url: string) => {
  const { statusCode, body } = await request(url);
  await body.dump();
  return statusCode;
};

describe('a stop signal while serve starts', () => {
  test('ends it at once, although the database does not respond', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    const connected = once(silent, 'connection');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const database = new SecretText(`postgres://user@127.0.0.1:${port}/database`);
    const serving = serve({ database });
    const [socket] = (await connected) as [Socket];
    onTestFinished(() => void socket.destroy());
    const beganMs = performance.now();
    await Promise.all(stops.map((stop) => stop()));
    await expect(serving).resolves.toMatchObject({ printed: expect.any(Function) as unknown });
    expect(performance.now() - beganMs).toBeLessThan(2000);
  });
});

describe('serve over TLS', () => {
  test('prints the authority to trust after the URL, and writes it to a world-readable file', async () => {
    const tlsCAOut = join(folder, 'ca.crt');
    const { printed } = await serve({ tlsSelfSigned: true, tlsCAOut });
    const [url = '', token = '', ...rest] = printed();
    const authority = await readFile(tlsCAOut, 'utf8');
    expect(rest.join('\n')).toBe(authority);
    expect((await stat(tlsCAOut)).mode & 0o777).toBe(0o644);
    const dispatcher = new Agent({ connect: { ca: authority } });
    const headers = { authorization: `Bearer ${token.replace('token ', '')}` };
    const { statusCode, body } = await request(`${url}${listOne}`, { dispatcher, headers });
    await body.dump();
    await dispatcher.destroy();
    expect(statusCode).toBe(404);
  });

  test('leaves the file of the authority as it is when it has the text, since its disk may be full', async () => {
    const [tlsCAOut, data] = [join(folder, 'ca.crt'), join(folder, 'state.db')];
    await (await serve({ tlsSelfSigned: true, tlsCAOut, data })).stop();
    await utimes(tlsCAOut, 1, 1);
    await serve({ tlsSelfSigned: true, tlsCAOut, data });
    expect((await stat(tlsCAOut)).mtimeMs).toBe(1000);
  });

  test.each([
    [{ tlsCertFile: 'a' }, '--tls-cert-file and --tls-key-file need each other.'],
    [
      { tlsSelfSigned: true, tlsCertFile: 'a', tlsKeyFile: 'b' },
      '--tls-self-signed and --tls-cert-file exclude each other.',
    ],
    [{ tlsCAOut: 'a' }, '--tls-ca-out needs --tls-self-signed.'],
  ])('refuses %j', async (change, sentence) => {
    expect(await serve(change).then(() => 'served', messageOf)).toBe(sentence);
  });
});

test('serve refuses a data file beside a database, and names both', async () => {
  const database = new SecretText('postgres://user:hidden-password@127.0.0.1/database');
  const data = join(folder, 'state.db');
  const sentence = await serve({ data, database }).then(() => 'served', messageOf);
  expect(sentence).toBe('--data and --database exclude each other: the state is in a file or in PostgreSQL.');
  await expect(stat(data)).rejects.toMatchObject({ code: 'ENOENT' });
});

describe('serve that prints the URL', () => {
  const credentials = { client: ['flagged:a-secret-of-the-tests'] };
  const adminPort = { admin: { host: '127.0.0.1', port: 0 } };

  const tls = () => ({ tlsSelfSigned: true, tlsCAOut: join(folder, 'ca') });
  const serviceURL = expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/) as string;

  const adminLine = expect.stringMatching(/^admin http:\/\/127\.0\.0\.1:\d+$/) as string;
  test.each<[string, () => object, readonly string[]]>([
    ['the admin URL in a second line', () => ({ print: 'url', ...adminPort, ...tls() }), [serviceURL, adminLine, '']],
    [
      'nothing where the log says it, with a CA that the data file keeps',
      () => ({ print: 'nothing', tlsSelfSigned: true, data: join(folder, 'state.db') }),
      [''],
    ],
  ])('prints %s, and nothing else', async (_, change, expected) => {
    const { printed } = await serve({ ...credentials, ...change() });
    expect(printed()).toEqual(expected);
  });

  test.each([
    [{}, /a token, which only --print=all prints\.$/],
    [{ ...credentials, tlsSelfSigned: true }, /^--print=url prints no CA: add --tls-ca-out\.$/],
  ])('is refused with %j', async (change, sentence) => {
    expect(await serve({ print: 'url', ...change }).then(() => 'served', messageOf)).toMatch(sentence);
  });
});

describe('serve with clients and users', () => {
  test('takes those of the flags and those of the file, and lets rolealerts login ask for users', async () => {
    const registrations = join(folder, 'registrations.yaml');
    await writeFile(registrations, 'clients: [{id: filed, secret: one, scopes: [alerts.read]}]');
    const { printed } = await serve({
      client: ['flagged:secret-of-the-flag'],
      user: ['ada:enchantress'],
      registrations,
    });
    expect(printed()).toHaveLength(2);
    const [url = ''] = printed();
    const tokenOf = async (id: string, secret: string) => {
      const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const answer = await request(`${url}/common/oauth2/token`, { method: 'POST', headers, body: body.toString() });
      return ((await answer.body.json()) as { scope?: string }).scope;
    };
    expect([await tokenOf('filed', 'one'), await tokenOf('flagged', 'secret-of-the-flag')]).toEqual([
      'alerts.read',
      'user_impersonation',
    ]);
    const query = 'response_type=token&client_id=rolealerts-cli&redirect_uri=http://127.0.0.1:5555/callback';
    expect(await statusOf(`${url}/common/oauth2/authorize?${query}`)).toBe(200);
    expect(await statusOf(`${url}/common/oauth2/authorize?${query.replace('5555/', '5555/other')}`)).toBe(400);
  });
});

test('serve passes its flags on to the service and to the admin port', async () => {
  const tokens = {
    staticToken: new SecretText(staticToken),
    adminToken: new SecretText('a-token-of-the-admin-port-only'),
  };
  const ports = { admin: { host: '127.0.0.1', port: 0 }, trustedProxies: ['127.0.0.1'], print: 'url' };
  const { printed } = await serve({
    ...tokens,
    ...ports,
    seed: await seedFile(),
    pageSize: 1,
    rateLimit: 1,
    auditRetention: 0,
  });
  const [url = '', adminURL = ''] = printed();
  const admin = adminURL.replace('admin ', '');
  expect(await statusOf(`${admin}/faults`)).toBe(401);
  const authorization = `Bearer ${tokens.adminToken.reveal()}`;
  expect((await request(`${admin}/audit`, { headers: { authorization } })).statusCode).toBe(404);
  const headers = { authorization: `Bearer ${staticToken}`, 'x-forwarded-host': 'alerts.example' };
  const list = async () => (await request(`${url}${listOne}`, { headers })).body.text();
  expect(await list()).toMatch(/"nextLink":"http:\/\/alerts\.example/);
  await expect.poll(list, { interval: 1 }).toContain('"TooManyRequests"');
});

describe('probes and metrics', () => {
  test('are served where the flags say, and count events without naming people', async () => {
    const { printed, probesURL, metricsURL } = await serve({
      seed: await seedFile(),
      staticToken: new SecretText('canary-token-of-the-tests'),
      client: ['canary-client:canary-secret-of-the-tests'],
    });
    const [url = ''] = printed();
    expect([await textOf(`${probesURL}/livez`), await textOf(`${probesURL}/readyz`)]).toEqual(['ok\n', 'ok\n']);
    const headers = { authorization: 'Bearer canary-token-of-the-tests', 'content-type': 'application/json' };
    await (await request(`${url}${listOne}`, { headers })).body.dump();
    await (await request(`${url}${alertA}`, { method: 'PATCH', headers, body: turnOff.body })).body.dump();
    await (await request(`${url}${listOne}`)).body.dump();
    const basic = `Basic ${Buffer.from('canary-client:canary-secret-of-the-tests').toString('base64')}`;
    const form = { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' };
    const body = 'grant_type=client_credentials';
    await (await request(`${url}/common/oauth2/token`, { method: 'POST', headers: form, body })).body.dump();
    const text = await textOf(`${metricsURL}/metrics`);
    for (const line of [
      'rolealerts_service_answers_total{route="list-alerts",status="200"} 1',
      'rolealerts_service_answers_total{route="list-alerts",status="401"} 1',
      'rolealerts_service_answers_total{route="update-alert",status="204"} 1',
      'rolealerts_service_answer_duration_seconds_count{route="list-alerts"} 2',
      'rolealerts_service_requests_in_flight 0',
      'rolealerts_service_tokens_issued_total{subject_type="client"} 1',
      'rolealerts_service_alerts{active="true"} 5',
      'rolealerts_service_alerts{active="false"} 2',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
    expect(text).not.toMatch(/canary|subscriptions/);
  });

  test('say not ready while requests in flight get to finish, and end after them', async () => {
    const { printed, probesURL, stop } = await serve({
      seed: await seedFile(),
      staticToken: new SecretText(staticToken),
    });
    const waiting = connect(Number(new URL(printed()[0] ?? '').port), '127.0.0.1');
    await once(waiting, 'connect');
    const head = `PATCH ${alertA} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${staticToken}\r\nContent-Type: application/json`;
    waiting.write(`${head}\r\nExpect: 100-continue\r\nContent-Length: ${turnOff.body.length}\r\n\r\n`);
    await once(waiting, 'data');
    const stopped = stop();
    expect([await statusOf(`${probesURL}/readyz`), await statusOf(`${probesURL}/livez`)]).toEqual([503, 200]);
    waiting.write(turnOff.body);
    const [answer] = (await once(waiting, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 204 /);
    expect(await stopped).toBe(0);
    // On a connection of its own: the client may not have noticed yet that the server closed the one of the requests before.
    const dispatcher = new Agent();
    await expect(request(`${probesURL}/livez`, { dispatcher })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await dispatcher.destroy();
  });
});
