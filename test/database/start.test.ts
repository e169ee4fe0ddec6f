// What a start does with a database that it cannot use.
import { afterEach, expect, test } from 'vitest';

import { systemClock } from '../../src/lib/clock.ts';
import { messageOf } from '../../src/lib/errors.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { SecretText } from '../../src/lib/secret-text.ts';
import { openDatabase } from '../../src/service/database/open-database.ts';
import { openPostgres } from '../../src/service/postgres/open-postgres.ts';
import { startForgetfulProxy } from '../support/servers/forgetful-proxy.ts';
import { atPort, newSchema, withClient, type PostgresAccess } from '../support/servers/postgres.ts';
import { describeWithPostgres } from '../support/servers/with-postgres.ts';

const closes: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0)) await close();
});

/** `opened`, or the message of the error. */
async function outcomeOf(url: string): Promise<string> {
  try {
    const database = await openPostgres(new SecretText(url), { clock: systemClock, log: silentLogger });
    closes.push(() => database.close());
    return 'opened';
  } catch (error) {
    return messageOf(error);
  }
}

const schemaIn = (url: string) => new URL(url).searchParams.get('search_path') ?? '';

describeWithPostgres('a start on PostgreSQL', (postgres: PostgresAccess) => {
  test('refuses tables of another version, and changes nothing', async () => {
    const url = await newSchema(postgres);
    expect(await outcomeOf(url)).toBe('opened');
    const version = `${schemaIn(url)}.rolealerts_version`;
    await withClient(postgres, (client) => client.query(`UPDATE ${version} SET version = 1000`));
    expect(await outcomeOf(url)).toBe(
      'The database has tables of version 1000; this version of the program reads version 1.',
    );
    const { rows } = await withClient(postgres, (client) => client.query(`SELECT version FROM ${version}`));
    expect(rows).toEqual([{ version: 1000 }]);
  });

  test('refuses a schema with tables of another program', async () => {
    const url = await newSchema(postgres);
    await withClient(postgres, (client) => client.query(`CREATE TABLE ${schemaIn(url)}.alert (id integer)`));
    expect(await outcomeOf(url)).toBe(
      'The schema of the database has tables of another program: name another with search_path.',
    );
  });

  test('refuses a proxy that ignores the schema and the settings of a connection', async () => {
    const url = await newSchema(postgres);
    const proxy = await startForgetfulProxy(postgres.port, 'options');
    closes.push(() => proxy.stop());
    expect(await outcomeOf(atPort(url, proxy.port))).toMatch(
      /^A proxy before the database ignores the startup parameter "options", which sets \w+\. Connect to PostgreSQL/,
    );
    const text = "SELECT FROM information_schema.tables WHERE table_name = 'alert' AND table_schema IN ('public', $1)";
    const { rowCount } = await withClient(postgres, (client) => client.query(text, [schemaIn(url)]));
    expect(rowCount).toBe(0);
  });

  test('names the server and the reason, and never the password, when it cannot connect', async () => {
    const url = new URL(await newSchema(postgres));
    url.password = 'wrong-password';
    const message = await outcomeOf(url.href);
    expect(message).toBe(
      `Cannot use the database 127.0.0.1:${postgres.port}/${postgres.database}: 28P01 password authentication failed for user "postgres".`,
    );
    const encrypted = new URL(await newSchema(postgres));
    encrypted.searchParams.set('sslmode', 'require');
    expect(await outcomeOf(encrypted.href)).toMatch(/^Cannot use the database .*SSL/);
  });

  test('finds every table and column that the stores have in a data file, except those of checksums', async () => {
    const url = await newSchema(postgres);
    expect(await outcomeOf(url)).toBe('opened');
    const { rows } = await withClient(postgres, (client) =>
      client.query<{ name: string }>(
        "SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = $1",
        [schemaIn(url)],
      ),
    );
    const inMemory = openDatabase(undefined);
    closes.push(() => inMemory.close());
    const columns = await inMemory.sql.query(
      `SELECT tables.name || '.' || columns.name AS name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
        WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'`,
    );
    const known = new Set(rows.map(({ name }) => name));
    const missing = columns.map(({ name }) => String(name)).filter((name) => !known.has(name));
    expect(missing.filter((name) => !name.endsWith('.checksum'))).toEqual([]);
  });
});
