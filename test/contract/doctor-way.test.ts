// What `doctor` finds at a URL of a connection, against real sockets.
import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { type DoctorPlace, runCheck } from '../../src/commands/checks/check.ts';
import { checkUrl } from '../../src/commands/checks/connection-checks.ts';
import { runDoctor } from '../../src/commands/checks/doctor.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { connection } from '../support/builders/objects.ts';
import { type FakeAnswers, fakeApiServer } from '../support/rigs/fake-api-server.ts';
import { answer, startScriptedServer } from '../support/servers/scripted-server.ts';

const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8');
const tls = { cert: fixture('server.crt'), key: fixture('server.key') };
const { signal } = new AbortController();
const bundle = '/api/v1/namespaces/team/configmaps/ca';

const placeOf = (answers: FakeAnswers, change: Partial<DoctorPlace> = {}): DoctorPlace => ({
  transport: fakeApiServer(answers),
  namespace: undefined,
  operatorNamespace: 'security',
  clock: systemClock,
  signal,
  ...change,
});

function check(url: string, bundleAnswer: FakeAnswers[string], change: Partial<DoctorPlace> = {}) {
  const { endpoint } = connection().spec;
  const trusting = connection({
    endpoint: { ...endpoint, caBundleRef: { kind: 'ConfigMap', name: 'ca', key: 'ca.crt' } as const },
  });
  const place = { ...placeOf({ [bundle]: bundleAnswer }, change), proxies: undefined };
  return runCheck({ subject: 'a', check: 'b' }, place.clock, () => checkUrl(url, trusting, place));
}
const trusted = { data: { 'ca.crt': fixture('ca.crt') } };

test('a trusted server answers a request without a credential', async () => {
  await using server = await startScriptedServer((_, response) => answer(response, 401, {}), tls);
  expect(await check(server.url, trusted)).toMatchObject({
    state: 'Passed',
    message: expect.stringMatching(/^localhost:\d+ answers a request without a credential with status 401; /) as string,
  });
  expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
});

test.each([
  ['kube-denied', 'NotChecked', 'You may not read what this check needs: refused with kube-denied.'],
  ['kube-not-found', 'Failed', 'ConfigMap team/ca has no key ca.crt, or its value is empty.'],
  [{ data: {} }, 'Failed', 'ConfigMap team/ca has no key ca.crt, or its value is empty.'],
  ['kube-unreachable', 'Failed', 'refused with kube-unreachable.'],
] as const)('with %j as the CA bundle no request is sent', async (found, state, message) => {
  await using server = await startScriptedServer((_, response) => answer(response, 200, {}), tls);
  expect(await check(server.url, found)).toMatchObject({ state, message });
  expect(server.requests).toEqual([]);
});

test('a clock that is an hour ahead is a warning', async () => {
  await using server = await startScriptedServer((_, response) => answer(response, 200, {}), tls);
  const late = { ...systemClock, now: () => Date.now() + 3_600_000 };
  expect(await check(server.url, trusted, { clock: late })).toMatchObject({
    state: 'Warning',
    message: expect.stringMatching(/its clock is 3[56]\d\d s behind this machine's\.$/) as string,
  });
});

test.each([
  ['https://no-such-host.invalid', /no-such-host\.invalid|name/],
  ['none', /^none is not a valid URL\.$/],
])('%s fails', async (url, message) => {
  const { state, message: found, fix } = await check(url, trusted);
  expect({ state, found, fix }).toEqual({
    state: 'Failed',
    found: expect.stringMatching(message) as string,
    fix: expect.stringMatching(/^C/) as string,
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
  const place = placeOf({}, { transport });
  const results = await runDoctor({ place, proxies: undefined, version: '0.1.0' });
  const own = results.filter(({ subject }) => subject.startsWith('connection '));
  expect(Object.fromEntries(own.map(({ check, state }) => [check, state]))).toMatchObject({
    credential: 'Failed',
    'http-service': 'Passed',
  });
  expect(own.find(({ check }) => check === 'credential')?.message).toMatch(/^Secret .+ does not exist\.$/);
});
