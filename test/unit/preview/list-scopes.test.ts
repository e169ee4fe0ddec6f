// The lists of a preview: one for each connection and scope, and an error for each that failed.
import { describe, expect, test } from 'vitest';

import { systemClock } from '../../../src/lib/clock.ts';
import { seededRandom } from '../../../src/lib/random.ts';
import { SecretText } from '../../../src/lib/secret-text.ts';
import { previewScopes } from '../../../src/plan/preview-scopes.ts';
import { ClientSet } from '../../../src/preview/client-set.ts';
import { connectionsOf, listScopes } from '../../../src/preview/list-scopes.ts';
import type { ServiceAccess } from '../../../src/preview/open-client.ts';
import { connection, nowMs, policy } from '../../support/builders/objects.ts';
import { noCredentials } from '../../support/builders/service-access.ts';
import { AnsweringDispatcher, type AnswerRequest } from '../../support/servers/answering-dispatcher.ts';

const accessTo = (answer: AnswerRequest, hasToken = true): ServiceAccess => ({
  credentials: {
    ...noCredentials,
    tokenFiles: { named: new Map(), unnamed: hasToken ? new SecretText('token') : undefined, signIns: {} },
  },
  configMaps: new Map(),
  allowHttp: false,
  allowedHosts: [],
  allowPrivateEndpoints: false,
  proxies: undefined,
  clock: systemClock,
  random: seededRandom(1),
  openDispatcher: () => new AnsweringDispatcher(answer),
});

const never = new AbortController().signal;
const policiesOn = (...scopes: readonly string[]) =>
  scopes.map((scope, index) => policy({ name: `p${index}`, spec: { scope } }));

describe('the lists of a preview', () => {
  test('are one for each scope, however many policies it has', async () => {
    const seen: string[] = [];
    const policies = policiesOn(...Array.from({ length: 1000 }, (_, index) => `subscriptions/${index % 100}`));
    const limits = { ...connection().spec.limits, burst: 100 };
    const scopes = previewScopes({ policies, connections: [connection({ limits })], namespaces: [] }, nowMs);
    const access = accessTo(({ method, path }) => {
      seen.push(`${method} ${path}`);
      return { status: 200, body: { value: [] } };
    });
    const listings = await listScopes(scopes, new ClientSet(connectionsOf(scopes), access), never);
    expect([seen.length, new Set(seen).size, listings.size]).toEqual([100, 100, 100]);
  });

  test('fail one by one', async () => {
    const scopes = previewScopes(
      { policies: policiesOn('subscriptions/a', 'subscriptions/b'), connections: [connection()], namespaces: [] },
      nowMs,
    );
    const access = accessTo(({ path }) =>
      path.includes('subscriptions/a') ? { status: 403 } : { status: 200, body: { value: [] } },
    );
    const listings = [...(await listScopes(scopes, new ClientSet(connectionsOf(scopes), access), never)).values()];
    expect(listings.map((each) => ('error' in each ? each.error.code : each.alerts.length))).toEqual([
      'scope-forbidden',
      0,
    ]);
  });

  test('are errors without a credential, and send nothing', async () => {
    const scopes = previewScopes(
      { policies: policiesOn('subscriptions/a'), connections: [connection()], namespaces: [] },
      nowMs,
    );
    const access = accessTo(() => {
      throw new Error('sent');
    }, false);
    const [listing] = [...(await listScopes(scopes, new ClientSet(connectionsOf(scopes), access), never)).values()];
    expect(listing && 'error' in listing && listing.error.message).toBe('Connection team/prod has no credential here.');
  });
});
