// The provider namespace of the stored alerts. Their ids and types contain it, so a start with another one is refused.
import { UsageError } from '../../lib/command-errors.ts';
import type { Database } from './database.ts';

const setting = 'provider-namespace';

/** Keeps the namespace with the alerts. Throws `UsageError` if there are alerts of another one. Writes nothing if it is kept already. */
export async function keepNamespace(
  { alerts, sql }: Pick<Database, 'alerts' | 'sql'>,
  namespace: string,
): Promise<void> {
  const [row] = await sql.query('SELECT value FROM setting WHERE name = $1', [setting]);
  const kept = row?.['value'];
  if (kept === namespace) return;
  if (typeof kept === 'string' && !(await alerts.isEmpty())) {
    throw new UsageError(
      `The store has alerts of the provider namespace ${kept}, but --provider-namespace is ${namespace}. ` +
        `Use --provider-namespace ${kept}, or another store.`,
    );
  }
  await sql.query(
    'INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    [setting, namespace],
  );
}
