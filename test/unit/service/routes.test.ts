import { expect, test } from 'vitest';

import { createLogger } from '../../../src/lib/log.ts';
import { createPageResponses } from '../../../src/service/alerts/page-response.ts';
import { openDatabase } from '../../../src/service/database/open-database.ts';
import { createTargetParser } from '../../../src/service/http/known-targets.ts';
import { ListTurns } from '../../../src/service/http/list-turns.ts';
import { emptyResponse } from '../../../src/service/http/message.ts';
import { createRoutes } from '../../../src/service/http/routes.ts';
import { alertA, json, listOne, turnOff } from '../../support/servers/alerts-service-cases.ts';
import { handClock } from '../../support/servers/alerts-service.ts';

test('a store that fails is answered 500 with an error body, logged, and reveals nothing of the cause to the caller', async () => {
  const lines: string[] = [];
  const database = openDatabase(undefined);
  const page = () => emptyResponse(204);
  const answer = createRoutes({
    store: database.alerts,
    authorize: () => ({ principal: { class: 'static-token', name: 'n', scopes: new Set(['user_impersonation']) } }),
    rateLimit: () => 0,
    listTurns: new ListTurns(),
    endpoints: { authorize: page, token: page, revoke: page, keys: page, metadata: page, openapi: page },
    providerNamespace: 'Vendor.Authorization',
    apiVersion: '2022-08-01-preview',
    pageSize: 1,
    parseTarget: createTargetParser('Vendor.Authorization'),
    pageResponses: createPageResponses(),
    clock: handClock(),
    log: createLogger({ level: 'info', format: 'json', sink: { write: (line) => void lines.push(line) } }),
  });
  await database.close();
  const requests = [
    { method: 'GET', target: listOne, headers: {}, body: new Uint8Array(), scheme: 'http' },
    { method: 'PATCH', target: alertA, headers: json, body: Buffer.from(turnOff.body), scheme: 'http' },
  ] as const;
  for (const request of requests) {
    const { response } = await answer(request);
    expect([response.status, response.body]).toEqual([
      500,
      '{"error":{"code":"InternalError","message":"The service failed."}}',
    ]);
  }
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('"msg":"request failed"');
});
