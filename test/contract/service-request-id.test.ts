// The id of a request: the one that it brings or a new one, in its response and in every log line about it.
import { describe, expect, test } from 'vitest';

import { createFlatLogger } from '../../src/lib/flat-log.ts';
import { createLogger } from '../../src/lib/log.ts';
import { createTargetParser } from '../../src/service/http/known-targets.ts';
import { createRoutes } from '../../src/service/http/routes.ts';
import { startAlertsService } from '../../src/service/server.ts';
import type { AlertsServiceOptions } from '../../src/service/service-options.ts';
import { answerTo } from '../support/rigs/raw-http.ts';
import { endingWithTest, listOne, seed, shareOne } from '../support/servers/alerts-service-cases.ts';
import { sendOverSocket, serviceOptions, type Received } from '../support/servers/alerts-service.ts';

async function start(options: Partial<AlertsServiceOptions> = {}) {
  const lines: Record<string, unknown>[] = [];
  const sink = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  const accessLog = createFlatLogger({ level: 'debug', format: 'json', sink });
  const service = await startAlertsService(serviceOptions({ seed, accessLog, ...options }));
  return { ...service, lines };
}

const started = endingWithTest(start);

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const idOf = ({ headers }: Received) => headers['x-request-id'];

describe('the id of a request', () => {
  const shared = shareOne(start);

  test.each(['a', 'req-01HQ.3:4/5+6=@~_', 'x'.repeat(128)])('is the one that it brings: %s', async (id) => {
    const { url, lines } = await shared();
    const answer = await sendOverSocket(url, { target: listOne, headers: { 'x-request-id': id } });
    expect([idOf(answer), lines.at(-1)?.['requestID']]).toEqual([id, id]);
  });

  test.each(['', 'x'.repeat(129), 'two words', 'a"b', 'a,b', '<script>', 'é'])(
    'is a new one if the one that it brings is empty, long or has other characters: %j',
    async (id) => {
      const { url, lines } = await shared();
      const headers = { 'x-request-id': Buffer.from(id).toString('latin1') };
      const answer = await sendOverSocket(url, { target: listOne, headers });
      expect(idOf(answer)).toMatch(uuid);
      expect(lines.at(-1)).toMatchObject({ requestID: idOf(answer) });
    },
  );

  test.each([
    ['a list', { target: listOne }, 200],
    ['no token', { target: listOne, headers: { authorization: '' } }, 401],
    ['a wrong path', { target: '/nowhere' }, 404],
    ['HEAD', { method: 'HEAD', target: listOne }, 200],
    ['OPTIONS', { method: 'OPTIONS', target: listOne }, 204],
  ])('is in the response to %s', async (_, sent, status) => {
    const { url, lines } = await shared();
    const answer = await sendOverSocket(url, sent);
    expect([answer.status, idOf(answer)]).toEqual([status, expect.stringMatching(uuid)]);
    expect(lines.at(-1)).toMatchObject({ status, requestID: idOf(answer) });
  });

  test.each([
    ['no HTTP', 'HELLO\r\n\r\n', 400],
    ['large headers', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('is in the response to %s', async (_, sent, status) => {
    const { url, lines } = await shared();
    const answer = await answerTo(url, sent);
    const id = /^x-request-id: (.*)$/im.exec(answer)?.[1];
    expect([answer.slice(9, 12), id]).toEqual([String(status), expect.stringMatching(uuid)]);
    expect(lines.at(-1)).toMatchObject({ status, requestID: id });
  });

  test('is in the line about a failure of the service', () => {
    const lines: object[] = [];
    const log = { error: (fields: object) => void lines.push(fields) };
    const broken = {
      authorize: () => Promise.reject(new Error('broken')),
      log,
      parseTarget: createTargetParser('Vendor.Authorization'),
    };
    const routes = createRoutes(broken as unknown as Parameters<typeof createRoutes>[0]);
    const request = { method: 'GET', target: listOne, headers: {}, body: new Uint8Array(), scheme: 'http' } as const;
    return Promise.resolve(routes({ ...request, requestID: 'mine' })).then(() => {
      expect(lines).toEqual([{ requestID: 'mine', err: expect.any(Error) }]);
    });
  });

  test.each([
    ['token refused', { target: listOne, headers: { authorization: 'Bearer a.b.c' } }],
    [
      'assertion refused',
      {
        method: 'POST',
        target: '/common/oauth2/token',
        headers: { authorization: '', 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: 'a.b.c',
        }).toString(),
      },
    ],
  ])('is in the line %s', async (message, sent) => {
    const lines: Record<string, unknown>[] = [];
    const sink = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
    const { url } = await started({ log: createLogger({ level: 'debug', format: 'json', sink }) });
    await sendOverSocket(url, { ...sent, headers: { ...sent.headers, 'x-request-id': 'mine' } });
    expect(lines).toContainEqual(expect.objectContaining({ msg: message, requestID: 'mine' }));
  });

  test('is in the responses of the admin port', async () => {
    const { adminURL = '' } = await started({ admin: { listen: { host: '127.0.0.1', port: 0 } } });
    const sent = { target: '/faults', headers: { authorization: '', 'x-request-id': 'mine' }, expectsFault: true };
    expect(idOf(await sendOverSocket(adminURL, sent))).toBe('mine');
  });
});
