// The lists of a preview: one for each connection and scope, and an error for each that failed.
import { describe, expect, test } from 'vitest';

import { listScopes } from '../../../../src/commands/preview/list-scopes.ts';
import { type ServiceAccess, withClients } from '../../../../src/commands/preview/open-client.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { seededRandom } from '../../../../src/lib/random.ts';
import { SecretText } from '../../../../src/lib/secret-text.ts';
import { connection } from '../../../support/builders/objects.ts';
import { noCredentials } from '../../../support/builders/service-access.ts';
import { AnsweringDispatcher, type AnswerRequest } from '../../../support/servers/answering-dispatcher.ts';

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
const asked = (count: number, limits = connection().spec.limits) => {
  const through = connection({ limits });
  return Array.from({ length: count }, (_, index) => ({
    connection: through,
    ref: { scope: `subscriptions/${index}` },
  }));
};

function listed(asking: ReturnType<typeof asked>, access: ServiceAccess) {
  const connections = [...new Set(asking.map((each) => each.connection))];
  return withClients(connections, access, async (clientOf) => {
    const found = await listScopes(asking, clientOf, { signal: never, onProgress: () => undefined });
    return [...found.values()];
  });
}

describe('the lists of a preview', () => {
  test('fail one by one', async () => {
    const access = accessTo(({ path }) =>
      path.includes('subscriptions/0') ? { status: 403 } : { status: 200, body: { value: [] } },
    );
    const listings = await listed(asked(2), access);
    expect(listings.map((each) => ('error' in each ? each.error.code : each.alerts.length))).toEqual([
      'scope-forbidden',
      0,
    ]);
  });

  test('are errors without a credential, and send nothing', async () => {
    const access = accessTo(() => {
      throw new Error('sent');
    }, false);
    const [listing] = await listed(asked(1), access);
    expect(listing && 'error' in listing && listing.error.message).toBe('Connection team/prod has no credential here.');
  });
});
