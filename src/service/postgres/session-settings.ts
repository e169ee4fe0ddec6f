// The settings that each connection asks for when it opens. A proxy can refuse them, which fails the start, or ignore them: then another
// schema would be used, or an acknowledged update would not be on disk.
import { UsageError } from '../../lib/command-errors.ts';
import type { SqlQueries } from '../database/sql.ts';
import type { PostgresSettings } from './postgres-url.ts';

type Schema = Pick<PostgresSettings, 'schema'>;

/**
 * Whatever the defaults of the server, an acknowledged update is on disk, and a statement without a transaction meets no conflict that only
 * running it again would solve.
 */
function requiredSettings({ schema }: Schema): Readonly<Record<string, string>> {
  const always = { synchronous_commit: 'on', default_transaction_isolation: 'read committed' };
  return schema === undefined ? always : { ...always, search_path: schema };
}

/** The server notices within two minutes that a process is gone. */
const keepAliveSettings = { tcp_keepalives_idle: '60', tcp_keepalives_interval: '10', tcp_keepalives_count: '6' };

/** The value of the startup parameter `options`. */
export function startupOptions(schema: Schema): string {
  return Object.entries({ ...requiredSettings(schema), ...keepAliveSettings })
    .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', String.raw`\ `)}`)
    .join(' ');
}

/** Throws `UsageError` when the connection does not have them. */
export async function requireSettings(queries: SqlQueries, schema: Schema): Promise<void> {
  const required = requiredSettings(schema);
  const rows = await queries.query(
    "SELECT name, setting FROM pg_settings WHERE name IN ('synchronous_commit', 'default_transaction_isolation', 'search_path')",
  );
  const actual = new Map(rows.map((row) => [row['name'], row['setting']]));
  const ignored = Object.keys(required).find((name) => actual.get(name) !== required[name]);
  if (ignored === undefined) return;
  throw new UsageError(
    `A proxy before the database ignores the startup parameter "options", which sets ${ignored}. ` +
      'Connect to PostgreSQL without it, or let it pass the parameter on.',
  );
}
