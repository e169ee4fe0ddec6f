// Settings of the server, the database or the user that would change what a connection does.
import { afterEach, expect, test } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger, type Logger } from '../../src/lib/log.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import { storeAlert } from '../../src/service/alerts/alert-document.ts';
import type { Database } from '../../src/service/database/database.ts';
import { openPostgres } from '../../src/service/postgres/open-postgres.ts';
import { until } from '../support/rigs/until.ts';
import { newSchema, withClient, type PostgresAccess } from '../support/servers/postgres.ts';
import { describeWithPostgres } from '../support/servers/with-postgres.ts';

const closes: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0).reverse()) await close();
});

async function opened(url: string, log: Logger = silentLogger): Promise<Database> {
  const database = await openPostgres(new SecretText(url), { clock: systemClock, log });
  closes.push(() => database.close());
  return database;
}

/** The URL of a user of its own with these settings, who owns a schema. */
async function newUser(postgres: PostgresAccess, ...settings: readonly string[]): Promise<string> {
  const url = new URL(await newSchema(postgres));
  const name = url.searchParams.get('search_path') ?? '';
  await withClient(postgres, async (client) => {
    await client.query(`CREATE ROLE ${name} LOGIN PASSWORD 'password'; ALTER SCHEMA ${name} OWNER TO ${name}`);
    for (const setting of settings) await client.query(`ALTER ROLE ${name} SET ${setting}`);
  });
  closes.push(() => withClient(postgres, (client) => client.query(`DROP SCHEMA ${name} CASCADE; DROP ROLE ${name}`)));
  [url.username, url.password] = [name, 'password'];
  return url.href;
}

const turnOff = {
  scope: 's',
  alertName: 'a',
  isActive: false,
  modifier: { by: 'ada', byType: 'User', atMs: 1 },
} as const;

async function putActiveAlert({ alerts }: Database): Promise<void> {
  const place = { scope: 's', providerNamespace: 'Vendor.Authorization', nowMs: 0 };
  await alerts.putAlert('s', storeAlert({ name: 'a', properties: { isActive: true } }, 'a', place));
}

describeWithPostgres('a connection to PostgreSQL', (postgres) => {
  test('has the isolation that updates expect, whatever the default', async () => {
    const url = await newUser(postgres, "default_transaction_isolation = 'serializable'", 'synchronous_commit = off');
    const { sql } = await opened(url);
    const texts = ['transaction_isolation', 'synchronous_commit'].map(
      (name) => `SELECT current_setting('${name}') AS s`,
    );
    expect(await Promise.all(texts.map((text) => sql.query(text)))).toEqual([[{ s: 'read committed' }], [{ s: 'on' }]]);
  });

  test('that the server ends because it is idle is no outage', async () => {
    const lines: string[] = [];
    const note = (_: object, message: string) => void lines.push(message);
    const database = await opened(await newSchema(postgres), { ...silentLogger, error: note, warn: note });
    const { sql } = database;
    const [row] = await sql.query("SELECT pg_backend_pid() AS pid, set_config('idle_session_timeout', '50', false)");
    const isThere = async () => {
      const text = 'SELECT FROM pg_stat_activity WHERE pid = $1';
      return (await withClient(postgres, (client) => client.query(text, [row?.['pid']]))).rowCount === 1;
    };
    await until(async () => !(await isThere()), 'the server ended the connection');
    expect(await sql.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect([database.isAvailable(), lines]).toEqual([true, []]);
  });

  test('that only reads is replaced, because another server may have taken over', async () => {
    const database = await opened(await newSchema(postgres));
    await putActiveAlert(database);
    await database.sql.query("SELECT set_config('default_transaction_read_only', 'on', false)");
    await expect(database.alerts.changeActive(turnOff)).rejects.toMatchObject({
      code: 'database-busy',
      state: '25006',
    });
    expect(await database.alerts.changeActive(turnOff)).toBe('changed');
  });
});
