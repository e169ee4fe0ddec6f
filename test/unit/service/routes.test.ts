import { expect, test } from 'vitest';

import { createLogger } from '../../../src/lib/log.ts';
import type { AlertStore } from '../../../src/service/alerts/alert-store.ts';
import { createPageResponses } from '../../../src/service/alerts/page-response.ts';
import { DatabaseError } from '../../../src/service/database/database-error.ts';
import { openDatabase } from '../../../src/service/database/open-database.ts';
import { createTargetParser } from '../../../src/service/http/known-targets.ts';
import { emptyResponse } from '../../../src/service/http/message.ts';
import { createRoutes } from '../../../src/service/http/routes.ts';
import type { OAuthScope } from '../../../src/service/oauth/scopes.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';
import { alertA, json, listOne, turnOff } from '../../support/servers/alerts-service-cases.ts';

const requests = [
  { method: 'GET', target: listOne, headers: {}, body: new Uint8Array(), scheme: 'http' },
  { method: 'PATCH', target: alertA, headers: json, body: Buffer.from(turnOff.body), scheme: 'http' },
] as const;

function createRig(store: AlertStore, scopes: readonly OAuthScope[] = ['user_impersonation']) {
  const lines: string[] = [];
  const clock = new ManualClock();
  const page = () => emptyResponse(204);
  const answer = createRoutes({
    store,
    authorize: () => ({ principal: { class: 'static-token', name: 'n', scopes: new Set(scopes) } }),
    rateLimit: () => 0,
    endpoints: { authorize: page, token: page, keys: page, metadata: page, openapi: page },
    providerNamespace: 'Vendor.Authorization',
    apiVersion: '2022-08-01-preview',
    pageSize: 1,
    parseTarget: createTargetParser('Vendor.Authorization'),
    pageResponses: createPageResponses(),
    clock,
    log: createLogger({ level: 'info', format: 'json', sink: { write: (line) => void lines.push(line) } }),
  });
  return { lines, answer, clock };
}

test('what a database cannot do now is answered 503, and logged with its reason once a minute', async () => {
  const database = openDatabase(undefined);
  const failure = { state: '25006', report: 'cannot execute UPDATE in a read-only transaction' };
  const busy = () => Promise.reject(new DatabaseError('database-busy', 'The database cannot do this now.', failure));
  const { lines, answer, clock } = createRig({ ...database.alerts, changeActive: busy });
  const update = async () => (await answer(requests[1])).response.status;
  expect([await update(), await update()]).toEqual([503, 503]);
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'error',
    detail: '25006 cannot execute UPDATE in a read-only transaction',
    msg: 'request failed: the database cannot do this now',
  });
  await clock.advance(60_000);
  expect(await update()).toBe(503);
  expect(lines).toHaveLength(2);
  await database.close();
});
