// Stores a seed while it is decoded.
import type { AlertOperations } from './alert-store.ts';
import type { Seeded } from './seed.ts';

export interface SeedCounts {
  readonly scopes: number;
  readonly alerts: number;
}

/** Only counts, and so checks the seed, without a transaction. */
export async function storeSeed(
  tx: Pick<AlertOperations, 'addScope' | 'putAlert'> | undefined,
  seed: Iterable<Seeded>,
): Promise<SeedCounts> {
  const counts = { scopes: 0, alerts: 0 };
  for (const { scope, alert } of seed) {
    counts[alert ? 'alerts' : 'scopes'] += 1;
    const stored = alert ? tx?.putAlert(scope, alert) : tx?.addScope(scope);
    if (stored instanceof Promise) await stored;
  }
  return counts;
}
