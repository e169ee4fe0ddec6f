// Several services over one PostgreSQL database, as several processes behind one address are: what one of them has acknowledged holds for
// all of them at once.

import { SignJWT } from 'jose';
import type { Client } from 'pg';
import { afterEach, expect, test } from 'vitest';

import { SecretText } from '../../src/lib/secret-text.ts';
import type { AssignmentSource } from '../../src/service/scanner/assignments.ts';
import { alertKinds } from '../../src/service/scanner/kinds.ts';
import { scannerWith } from '../../src/service/scanner/scanner.ts';
import type { AlertsServiceOptions } from '../../src/service/service-options.ts';
import { noOwnersAllowed } from '../support/builders/assignments.ts';
import { askToken, clientsWith, newKeyPair, operator, publicURL, tokenOf } from '../support/rigs/oauth-rig.ts';
import { until } from '../support/rigs/until.ts';
import { listOne, seed, turnOff } from '../support/servers/alerts-service-cases.ts';
import { jsonOf, listOf, startOverSocket, type ServiceUnderTest } from '../support/servers/alerts-service.ts';
import { newSchema, withClient } from '../support/servers/postgres.ts';
import { describeWithPostgres } from '../support/servers/with-postgres.ts';

const running: ServiceUnderTest[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
});

/** Connections of services whose last statement asked for an advisory lock. */
async function attemptsAt(client: Client): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    "SELECT count(*)::integer AS n FROM pg_stat_activity WHERE application_name = 'rolealerts' AND datname = current_database() AND (query LIKE '%pg_try_advisory%' OR query LIKE '%pg_sleep%')",
  );
  return rows[0]?.n ?? 0;
}

async function waitingLocks(client: Client): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    'SELECT count(*)::integer AS n FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()',
  );
  return rows[0]?.n ?? 0;
}

describeWithPostgres('services that share a database', (postgres) => {
  /** Starts them at the same time, on an empty schema. */
  async function startSeveral(count: number, options: Partial<AlertsServiceOptions> = {}): Promise<ServiceUnderTest[]> {
    const databaseURL = new SecretText(await newSchema(postgres));
    const start = () => startOverSocket({ seed, databaseURL, publicURL, ...options });
    const services = await Promise.all(Array.from({ length: count }, start));
    running.push(...services);
    return services;
  }

  async function startTwo(options?: Partial<AlertsServiceOptions>): Promise<[ServiceUnderTest, ServiceUnderTest]> {
    const [one, other] = await startSeveral(2, options);
    if (!one || !other) throw new Error('not started');
    return [one, other];
  }

  const update = (service: ServiceUnderTest, isActive: boolean) =>
    service.send({ ...turnOff, body: JSON.stringify({ properties: { isActive } }) });
  const flagOf = async (service: ServiceUnderTest) =>
    listOf(await service.send({ target: listOne })).value[0]?.properties['isActive'];

  test('create the tables and load the seed once when they start together', async () => {
    const lists = await Promise.all((await startSeveral(4)).map((service) => service.send({ target: listOne })));
    for (const list of lists) expect(listOf(list).value.map(({ name }) => name)).toEqual(['A', 'B', 'C', 'D', 'E']);
  });

  test('wait without a time limit of a statement for one that prepares the database', async () => {
    const databaseURL = await newSchema(postgres);
    const schema = new URL(databaseURL).searchParams.get('search_path');
    let hasStarted = false;
    const starting = await withClient(postgres, async (client) => {
      await client.query('SELECT pg_advisory_lock(hashtext($1), 1)', [`rolealerts ${schema}`]);
      const service = startOverSocket({ seed, databaseURL: new SecretText(databaseURL) });
      void service.then(() => (hasStarted = true));
      await until(async () => (await attemptsAt(client)) > 0, 'it asks for the lock');
      expect([await waitingLocks(client), hasStarted]).toEqual([0, false]);
      return { service };
    });
    running.push(await starting.service);
    expect(hasStarted).toBe(true);
  });

  test('never list an alert as it was before an update that another one has acknowledged', async () => {
    const [one, other] = await startTwo();
    for (let round = 0; round < 20; round++) {
      const isActive = round % 2 === 1;
      // Whatever a cache would keep of a page that is requested often.
      for (const service of [one, other, one, other]) expect(await flagOf(service)).toBe(!isActive);
      const [writer, reader] = round % 4 < 2 ? [one, other] : [other, one];
      expect((await update(writer, isActive)).status).toBe(204);
      expect(await flagOf(reader)).toBe(isActive);
    }
  });

  test('apply concurrent updates of one alert one after the other, and each acknowledged one is the last or was overwritten', async () => {
    const services = await startSeveral(3);
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => update(services[index % 3] as ServiceUnderTest, index % 2 === 0)),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 204));
    const [first, ...others] = await Promise.all(services.map(flagOf));
    expect(others).toEqual([first, first]);
  });

  test('accept the tokens of each other at once, and publish the key of each', async () => {
    const [one, other] = await startTwo({ clients: clientsWith() });
    for (const [issuer, verifier] of [
      [one, other],
      [other, one],
    ] as const) {
      const headers = { authorization: `Bearer ${await tokenOf(issuer, operator)}` };
      expect((await verifier.send({ target: listOne, headers })).status).toBe(200);
    }
    const keysOf = async (service: ServiceUnderTest) => jsonOf(await service.send({ target: '/common/oauth2/keys' }));
    expect(await keysOf(one)).toEqual(await keysOf(other));
  });

  test('accept an assertion once between them, also at the same time', async () => {
    const { privateKey, publicJWK } = await newKeyPair();
    const services = await startSeveral(3, { clients: clientsWith(publicJWK) });
    const assertion = await new SignJWT({ jti: 'once' })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer('robot')
      .setSubject('robot')
      .setAudience(publicURL)
      .setExpirationTime('1m')
      .sign(privateKey);
    const members = {
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    };
    const answers = await Promise.all(services.map((service) => askToken(service, members)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401, 401]);
  });

  const scanning = (read: AssignmentSource['read']) => ({
    scanner: scannerWith({ source: { read }, thresholds: noOwnersAllowed, intervalMs: 3_600_000 }),
  });

  test('keep an update that comes in the middle of a scan of another one', async () => {
    const read = async () => [{ scope: 'subscriptions/one', assignments: [], roles: [] }];
    const [one, other] = await startTwo(scanning(read));
    await one.scanner?.scanNow();
    const [owners] = alertKinds;
    const target = turnOff.target.replace('/A?', `/${owners}?`);
    for (let round = 0; round < 10; round++) {
      const isActive = round % 2 === 0;
      const body = JSON.stringify({ properties: { isActive } });
      const [report, answer] = await Promise.all([one.scanner?.scanNow(), other.send({ ...turnOff, target, body })]);
      expect([report?.refreshed, answer.status]).toEqual([4, 204]);
      const alert = listOf(await one.send({ target: listOne })).value.find(({ name }) => name === owners);
      expect(alert?.properties['isActive']).toBe(isActive);
    }
  });
});
