// Stores a checked seed.
import type { AlertOperations } from './alert-store.ts';
import type { SeededScope } from './seed.ts';

export interface SeedCounts {
  readonly scopes: number;
  readonly alerts: number;
}

/** `tx` is a transaction. */
export async function storeSeed(
  tx: Pick<AlertOperations, 'addScope' | 'putAlert'>,
  scopes: readonly SeededScope[],
): Promise<SeedCounts> {
  for (const { scope, alerts } of scopes) {
    await tx.addScope(scope);
    for (const alert of alerts) await tx.putAlert(scope, alert);
  }
  return countSeed(scopes);
}

export function countSeed(scopes: readonly SeededScope[]): SeedCounts {
  return { scopes: scopes.length, alerts: scopes.reduce((sum, { alerts }) => sum + alerts.length, 0) };
}
