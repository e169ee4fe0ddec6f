// Connections to a PostgreSQL with TLS: what each sslmode accepts.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import { messageOf } from '../../src/lib/errors.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import { openPostgres } from '../../src/service/postgres/open-postgres.ts';
import { makeSelfSigned } from '../../src/service/tls/self-signed.ts';
import { fastSettings, newSchema, startPostgres, withClient, type TestPostgres } from '../support/servers/postgres.ts';
import { describeWithPostgres } from '../support/servers/with-postgres.ts';

/** `opened`, or the message of the error; `tls` is true if the server has the connections of the service over TLS. */
async function outcomeOf(
  server: TestPostgres,
  url: string,
): Promise<{ readonly outcome: string; readonly tls?: boolean }> {
  try {
    const database = await openPostgres(new SecretText(url), { clock: systemClock, log: silentLogger });
    try {
      return { outcome: 'opened', tls: await areEncrypted(server) };
    } finally {
      await database.close();
    }
  } catch (error) {
    return { outcome: messageOf(error) };
  }
}

async function areEncrypted(server: TestPostgres): Promise<boolean> {
  const { rows } = await withClient(server, (client) =>
    client.query<{ ssl: boolean }>(
      "SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'rolealerts'",
    ),
  );
  return rows.length > 0 && rows.every(({ ssl }) => ssl);
}

describeWithPostgres('a PostgreSQL with TLS', () => {
  let folder = '';
  let server: TestPostgres;
  const files: Record<string, string> = {};
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rolealerts-postgres-tls-'));
    const [own, other] = [await makeSelfSigned(['127.0.0.1'], Date.now()), await makeSelfSigned(['x'], Date.now())];
    for (const [name, { authority }] of Object.entries({ own, other })) {
      files[name] = join(folder, `${name}.crt`);
      await writeFile(files[name], authority);
    }
    server = await startPostgres({ settings: fastSettings, tls: own });
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });

  async function urlWith(mode: string, authority: string | undefined, host: string): Promise<string> {
    const url = new URL(await newSchema(server));
    url.hostname = host;
    url.searchParams.set('sslmode', mode);
    const file = authority === undefined ? undefined : files[authority];
    if (file !== undefined) url.searchParams.set('sslrootcert', file);
    return url.href;
  }

  test.each([
    ['verify-full', 'own', '127.0.0.1'],
    ['verify-ca', 'own', 'localhost'],
    ['require', undefined, '127.0.0.1'],
  ])('with sslmode=%s and the authority %s is used encrypted at %s', async (mode, authority, host) => {
    expect(await outcomeOf(server, await urlWith(mode, authority, host))).toEqual({ outcome: 'opened', tls: true });
  });

  test.each([
    ['verify-full', 'own', 'localhost', "Hostname/IP does not match certificate's altnames"],
    ['verify-full', 'other', '127.0.0.1', 'self-signed certificate in certificate chain|unable to verify'],
    ['verify-ca', 'other', '127.0.0.1', 'self-signed certificate in certificate chain|unable to verify'],
  ])('with sslmode=%s and the authority %s is refused at %s', async (mode, authority, host, reason) => {
    const { outcome } = await outcomeOf(server, await urlWith(mode, authority, host));
    expect(outcome).toMatch(new RegExp(`^Cannot use the database ${host}:${server.port}/postgres: .*(?:${reason})`));
  });
});
