// The client with a misbehaving service, over a socket: the error that the controller receives, without the token in it.
import { describe, expect, test } from 'vitest';

import { alertDocument, call, canary, failureOf, scope, startRig } from '../support/rigs/alert-client-rig.ts';
import { answer, errorBody, type Script } from '../support/servers/scripted-server.ts';

/** Everything that a service echoes back must not show the token either. */
const echo = errorBody('Denied', `bad token ${canary}`);
const page = (nextLink?: string, name = 'A') => ({ value: [alertDocument(name)], ...(nextLink && { nextLink }) });

const replies =
  (...[status, body, headers]: [number, Parameters<typeof answer>[2]?, Parameters<typeof answer>[3]?]): Script =>
  (_, response) =>
    answer(response, status, body, headers);
const broken = { code: 'service-protocol', reason: 'ProtocolError' };
const requestID = { 'x-request-id': 'req-1' };

/** What the service does, the error that follows, and the number of requests if it is not one. */
const lists: readonly [string, Script, object, number?][] = [
  [
    'JSON of another shape',
    replies(200, { value: [{ name: 'A', properties: { isActive: 'yes' } }] }),
    { ...broken, detail: 'value[0].properties.isActive is not a boolean' },
  ],
  [
    'pages in a circle',
    ({ url }, response, index) => answer(response, 200, page(`${url.split('&')[0]}&p=${index % 2}`, `A${index}`)),
    broken,
    3,
  ],
  [
    'an alert on two pages',
    ({ url }, response, index) => answer(response, 200, index === 0 ? page(`${url}&p=1`, 'Same') : page('', 'SAME')),
    broken,
    2,
  ],
  [
    'a page that turns out to have more bytes than allowed',
    (_, response) => {
      response.writeHead(200);
      for (let part = 0; part < 30; part += 1) response.write('x'.repeat(1000));
      response.end();
    },
    { code: 'service-protocol', reason: 'ListTooLarge' },
  ],
  ['a compressed page that was not requested', replies(200, page(), { 'content-encoding': 'gzip' }), broken],
  ['no HTTP', (_, response) => void response.socket?.end('SSH-2.0-OpenSSH_9.9\r\n\r\n'), broken],
  [
    'LIST 403',
    replies(403, echo),
    { code: 'scope-forbidden', status: 403, serviceCode: 'Denied', detail: 'bad token [redacted]' },
  ],
  [
    'LIST 400 with the id of the request',
    replies(400, errorBody('InvalidScope', 'no'), requestID),
    { code: 'service-rejected', detail: 'no (x-request-id req-1)' },
  ],
  [
    'LIST 500 with the id of the request alone',
    replies(500, '', requestID),
    { code: 'service-unreachable', detail: '(x-request-id req-1)' },
  ],
  [
    'LIST 500 with a text for the id of the request',
    replies(500, '', { 'x-request-id': `${canary} or more` }),
    { code: 'service-unreachable', detail: undefined },
  ],
  [
    'LIST 404 from something that is not the service',
    replies(404, '<h1>404</h1>', { 'content-type': 'text/html' }),
    { ...broken, status: 404 },
  ],
  [
    'LIST 429 with Retry-After',
    replies(429, echo, { 'retry-after': '7' }),
    { code: 'service-busy', retryAfterMs: 7000, status: 429 },
  ],
  [
    'a refused token, and again with a new one',
    replies(401, echo),
    { code: 'service-denied', status: 401, detail: 'bad token [redacted]' },
    2,
  ],
  [
    'a refusal with a huge body',
    replies(403, 'x'.repeat(1_000_000)),
    { code: 'scope-forbidden', serviceCode: undefined },
  ],
];

describe('a list', () => {
  test.each(lists)('fails for %s', async (_, script, expected, requests = 1) => {
    await using rig = await startRig(script);
    const { error, printed } = await failureOf(rig.client.listAlerts(scope, call()));
    expect(error).toMatchObject(expected);
    expect(rig.server.requests).toHaveLength(requests);
    expect(rig.samples).toHaveLength(requests);
    expect(printed + rig.logged() + JSON.stringify(rig.samples)).not.toContain(canary);
  });

  test('fails with service-unreachable without a listener', async () => {
    await using rig = await startRig(() => undefined);
    await rig.server.stop();
    const { error } = await failureOf(rig.client.listAlerts(scope, call()));
    expect(error).toMatchObject({ code: 'service-unreachable', detail: expect.stringContaining('ECONNREFUSED') });
  });

  test('fails with service-unreachable when the name cannot be resolved', async () => {
    const endpoint = { baseURL: 'http://unknown.invalid', providerNamespace: 'V.A', apiVersion: '1' };
    await using rig = await startRig(() => undefined, { change: { endpoint } });
    expect((await failureOf(rig.client.listAlerts(scope, call()))).error.code).toBe('service-unreachable');
  });

  test('reads all pages in order and asks for them with the version and the token', async () => {
    await using rig = await startRig(
      ({ url }, response, index) => {
        if (index === 0) answer(response, 200, page('?skip=1', 'A'));
        else answer(response, 200, page(index === 1 ? `${url}&skip=2` : undefined, index === 1 ? 'B' : 'C'));
      },
      { basePath: '/gateway/' },
    );
    const list = await rig.client.listAlerts('subscriptions/a b~(c)', call());
    expect(list.alerts.map(({ name }) => name)).toEqual(['A', 'B', 'C']);
    expect(list.pages).toBe(3);
    const path = '/gateway/subscriptions/a%20b~(c)/providers/Vendor.Authorization/roleManagementAlerts';
    expect(rig.server.requests.map(({ url }) => url)).toEqual([
      `${path}?api-version=2022-08-01-preview`,
      `${path}?skip=1&api-version=2022-08-01-preview`,
      `${path}?skip=1&api-version=2022-08-01-preview&skip=2`,
    ]);
    for (const { headers } of rig.server.requests) {
      expect(headers).toMatchObject({
        authorization: `Bearer ${canary}`,
        'accept-encoding': 'identity',
        'user-agent': expect.stringMatching(/^rolealerts\/\d+\.\d+\.\d+$/),
      });
    }
  });

  test('leaves the connection usable after a bad answer', async () => {
    await using rig = await startRig((_, response, index) =>
      index === 0 ? answer(response, 200, 'x'.repeat(100_000)) : answer(response, 200, page()),
    );
    await failureOf(rig.client.listAlerts(scope, call()));
    expect((await rig.client.listAlerts(scope, call())).alerts).toHaveLength(1);
  });

  test('is cancelled when its signal aborts, while the service is silent', async () => {
    const life = new AbortController();
    await using rig = await startRig(() => life.abort());
    expect((await failureOf(rig.client.listAlerts(scope, call({ signal: life.signal })))).error.code).toBe('stopped');
  });

  test('is cut off when the client stops', async () => {
    await using rig = await startRig(() => void rig.client.stop());
    expect((await failureOf(rig.client.listAlerts(scope, call()))).error.code).toBe('stopped');
    expect((await failureOf(rig.client.listAlerts(scope, call()))).error.code).toBe('stopped');
    expect(rig.server.requests).toHaveLength(1);
  });

  test('opens no more connections than the connection allows', async () => {
    const open = new Set<unknown>();
    await using rig = await startRig(
      (_, response) => {
        open.add(response.socket);
        answer(response, 200, page());
      },
      { limits: { maxConcurrent: 2 } },
    );
    await Promise.all(Array.from({ length: 50 }, () => rig.client.listAlerts(scope, call())));
    expect(rig.server.requests).toHaveLength(50);
    expect(open.size).toBeLessThanOrEqual(2);
  });
});

describe('a PATCH', () => {
  test('that is refused with 403 is alert-refused, with the words of the service and without the token', async () => {
    await using rig = await startRig(replies(403, echo));
    const { error, printed } = await failureOf(rig.client.patchAlert(scope, 'A', true, call()));
    expect(error).toMatchObject({
      code: 'alert-refused',
      status: 403,
      serviceCode: 'Denied',
      detail: 'bad token [redacted]',
    });
    expect(rig.server.requests).toHaveLength(1);
    expect(printed + rig.logged()).not.toContain(canary);
  });

  test('is sent for 204 and unproven for any other success', async () => {
    const statuses = [204, 200, 202];
    await using rig = await startRig((_, response, index) => answer(response, statuses[index] ?? 500));
    const results = [];
    for (const isActive of [true, false, true])
      results.push(await rig.client.patchAlert(scope, 'A/b c', isActive, call()).catch((error) => error.code));
    expect(results).toEqual(['alert-refused', 'alert-refused', 'alert-refused']);
    expect(rig.server.requests).toEqual([]);
    expect(await rig.client.patchAlert(scope, 'A b', true, call())).toBe('sent');
    expect(await rig.client.patchAlert(scope, 'A b', false, call())).toBe('unproven');
    expect(await rig.client.patchAlert(scope, 'A b', true, call())).toBe('unproven');
    expect(rig.server.requests.map(({ method, url, body }) => [method, url, body])).toEqual(
      [true, false, true].map((isActive) => [
        'PATCH',
        `/${scope}/providers/Vendor.Authorization/roleManagementAlerts/A%20b?api-version=2022-08-01-preview`,
        `{"properties":{"isActive":${isActive}}}`,
      ]),
    );
  });

  test('is not sent when beforeSend throws, and the same error comes out', async () => {
    await using rig = await startRig((_, response) => answer(response, 204));
    const lost = new Error('the lease is gone');
    const beforeSend = () => {
      throw lost;
    };
    await expect(rig.client.patchAlert(scope, 'A', true, call({ beforeSend }))).rejects.toBe(lost);
    expect(await rig.client.patchAlert(scope, 'A', true, call())).toBe('sent');
    expect(rig.server.requests).toHaveLength(1);
  });

  test('asks beforeSend again before the second try with a new token', async () => {
    await using rig = await startRig((_, response, index) => answer(response, index === 0 ? 401 : 204));
    let asked = 0;
    const beforeSend = () => {
      asked += 1;
      if (asked === 2) throw new Error('the lease is gone');
    };
    await expect(rig.client.patchAlert(scope, 'A', true, call({ beforeSend }))).rejects.toThrow('the lease is gone');
    expect(rig.server.requests).toHaveLength(1);
  });
});

test('a busy service pauses every request of the connection until its time is over', async () => {
  await using rig = await startRig((_, response) => answer(response, 429, '', { 'retry-after': '60' }));
  await failureOf(rig.client.listAlerts(scope, call()));
  const { error } = await failureOf(rig.client.patchAlert('subscriptions/other', 'A', true, call()));
  expect(error.code).toBe('service-busy');
  expect(error.retryAfterMs).toBeGreaterThan(50_000);
  expect(rig.server.requests).toHaveLength(1);
});
