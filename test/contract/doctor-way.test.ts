// How `doctor` follows the way to a URL of a connection, against real sockets.
import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { runDoctor } from '../../src/commands/checks/doctor.ts';
import { checkName, checkResponse, checkTls, type Way } from '../../src/commands/checks/reach-host.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { connection } from '../support/builders/objects.ts';
import { fakeApiServer } from '../support/rigs/fake-api-server.ts';
import { answer, startScriptedServer } from '../support/servers/scripted-server.ts';

const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8');
const tls = { cert: fixture('server.crt'), key: fixture('server.key') };
const { signal } = new AbortController();

const wayTo = (url: string, change: Partial<Way> = {}): Way => ({
  url: new URL(url),
  caBundle: fixture('ca.crt'),
  proxies: undefined,
  clock: systemClock,
  signal,
  ...change,
});

test('a trusted server passes with the days that its certificates last, and answers', async () => {
  await using server = await startScriptedServer((_, response) => answer(response, 401, {}), tls);
  const way = wayTo(server.url);
  expect(await checkTls(way)).toMatchObject({
    state: 'Passed',
    message: expect.stringMatching(/^\d trusted certificates; that of .+ ends first, in \d+ days\.$/) as string,
  });
  expect(await checkResponse(way)).toMatchObject({
    state: 'Passed',
    message: expect.stringMatching(/^localhost:\d+ answers a request without a credential with status 401; /) as string,
  });
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
});

test('another authority fails with the sentence that the operator shows', async () => {
  await using server = await startScriptedServer((_, response) => answer(response, 200, {}), tls);
  await expect(checkTls(wayTo(server.url, { caBundle: fixture('other-ca.crt') }))).rejects.toThrow(
    'The TLS connection to the service is not trusted: the authority of the certificate is unknown.',
  );
});

test('a certificate that ends within 14 days is a warning', async () => {
  await using server = await startScriptedServer((_, response) => answer(response, 200, {}), tls);
  const end = /in (\d+) days/.exec((await checkTls(wayTo(server.url))).message)?.[1];
  const late = { ...systemClock, now: () => Date.now() + (Number(end) - 5) * 86_400_000 };
  expect(await checkTls(wayTo(server.url, { clock: late }))).toMatchObject({ state: 'Warning' });
});

test('a clock that is an hour ahead is a warning', async () => {
  await using server = await startScriptedServer((_, response) => answer(response, 200, {}), tls);
  const late = { ...systemClock, now: () => Date.now() + 3_600_000 };
  expect(await checkResponse(wayTo(server.url, { clock: late }))).toMatchObject({
    state: 'Warning',
    message: expect.stringMatching(/its clock is 3[56]\d\d s behind this machine's\.$/) as string,
  });
});

test.each([
  ['127.0.0.1', '127.0.0.1 is not a public address.'],
  ['[::1]', '::1 is not a public address.'],
  ['localhost', expect.stringMatching(/^localhost is \S.*\. No address is public\.$/)],
])('loopback, named %s, is a warning, because the operator refuses private addresses', async (host, message) => {
  expect(await checkName(wayTo(`https://${host}:1`))).toMatchObject({
    state: 'Warning',
    message,
    fix: expect.stringContaining('--allow-private-endpoints') as string,
  });
});

test('a public address passes without a name', async () => {
  const way = wayTo('https://1.1.1.1');
  expect(await checkName(way)).toMatchObject({ state: 'Passed', message: '1.1.1.1 is an address, not a name.' });
});

test('a name that does not exist fails', async () => {
  expect(await checkName(wayTo('https://no-such-host.invalid'))).toMatchObject({
    state: 'Failed',
    message: 'no-such-host.invalid cannot be resolved.',
  });
});

test('a connection without its Secret fails, and its other checks run', async () => {
  await using server = await startScriptedServer((_, response) => answer(response, 401, {}));
  const prod = connection({ endpoint: { ...connection().spec.endpoint, baseURL: server.url } });
  const root = '/apis/rolealerts.dev/v1alpha1';
  const transport = {
    ...fakeApiServer({ [`${root}/rolealertconnections`]: [prod], [`${root}/rolealertpolicies`]: [] }),
    send: async () => ({ status: 200, headers: {}, body: '{"gitVersion":"v1.36.3"}' }),
  };
  const place = { transport, namespace: undefined, operatorNamespace: 'security', clock: systemClock, signal };
  const results = await runDoctor({ place, proxies: undefined, proxyVariables: [], version: '0.1.0' });
  const own = results.filter(({ subject }) => subject.startsWith('connection '));
  expect(Object.fromEntries(own.map(({ check, state }) => [check, state]))).toMatchObject({
    credential: 'Failed',
    'dns-service': 'Warning',
    'tls-service': 'Warning',
    'http-service': 'Passed',
  });
  expect(own.find(({ check }) => check === 'credential')?.message).toMatch(/^Secret .+ does not exist\.$/);
});
