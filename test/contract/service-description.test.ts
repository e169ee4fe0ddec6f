// The contract tests validate every response against the OpenAPI description: an undescribed response fails the test.
import { afterEach, expect, test } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import { startHttpServer, type RunningServer } from '../../src/lib/http-server.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { createHttpAdapter } from '../../src/service/http/adapter.ts';
import { emptyResponse, jsonResponse, type ServiceResponse } from '../../src/service/http/message.ts';
import { listOne, turnOff } from '../support/servers/alerts-service-cases.ts';
import { jsonOf, sendOverSocket, startOverSocket, type Sent } from '../support/servers/alerts-service.ts';

const running: RunningServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});

/** A service that gives the same answer to everything. */
async function answering(response: ServiceResponse): Promise<string> {
  const answer = () => ({ response, route: 'unknown', principal: 'none' }) as const;
  const adapter = createHttpAdapter({
    answer,
    scheme: 'http',
    clock: systemClock,
    log: silentLogger,
    accessLog: undefined,
  });
  const server = await startHttpServer({ host: '127.0.0.1', port: 0 }, adapter);
  running.push(server);
  return server.url;
}

test.each<[string, ServiceResponse, Sent, RegExp]>([
  ['an alert without properties', jsonResponse(200, '{"value":[{"name":"A"}]}'), { target: listOne }, /'properties'$/],
  ['a body after an update', jsonResponse(200, '{}'), turnOff, /status 200 is not described$/],
  ['an update that is answered to a list', emptyResponse(204), { target: listOne }, /status 204 is not described$/],
  ['an error that has no body', jsonResponse(404, '{}'), { target: listOne }, /required property 'error'$/],
])('%s fails the test that sent the request', async (_, response, sent, sentence) => {
  const url = await answering(response);
  await expect(sendOverSocket(url, sent)).rejects.toThrow(sentence);
  await expect(sendOverSocket(url, { ...sent, expectsFault: true })).resolves.toMatchObject({
    status: response.status,
  });
});

test('the description is served without a credential, with the public address in it', async () => {
  const service = await startOverSocket({ publicURL: 'https://alerts.example', providerNamespace: 'Other.Name' });
  const received = await service.send({ target: '/openapi.json', headers: { authorization: '' } });
  expect([received.status, received.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  expect(jsonOf(received)).toMatchObject({
    openapi: expect.stringMatching(/^3\.1\./),
    servers: [{ url: 'https://alerts.example' }],
    paths: {
      '/{scope}/providers/Other.Name/roleManagementAlerts': { get: expect.anything() },
      '/{scope}/providers/Other.Name/roleManagementAlerts/{alertId}': { patch: expect.anything() },
    },
    components: {
      securitySchemes: {
        cloud_auth: {
          flows: { implicit: { authorizationUrl: 'https://alerts.example/common/oauth2/authorize' } },
        },
      },
    },
  });
  await service.stop();
});
