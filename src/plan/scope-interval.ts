// The time between two periodic reconciles of one scope.
import { parseDuration } from '../lib/duration.ts';
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import type { AnyConnection } from '../policy/resources.ts';
import type { PolicyInput } from './plan-input.ts';
import { policyIntervalMs } from './schedule.ts';

/**
 * The shortest interval of the policies that are reconciled; milliseconds. A suspended policy counts while the scope
 * has dismissals in the ledger, because its dismissal may end at any time.
 */
export function scopeIntervalMs(
  policies: readonly PolicyInput[],
  ledger: readonly DismissalRecord[],
  connection: AnyConnection,
  defaultMs: number,
): number {
  const reconciled = policies.filter((input) => ledger.length > 0 || !input.isSuspended);
  const intervals = reconciled.map(({ policy }) => policyIntervalMs(policy, connection, defaultMs));
  return intervals.length === 0 ? ledgerIntervalMs(connection, defaultMs) : Math.min(...intervals);
}

/** The interval of a scope that is reconciled only because of the ledger. */
function ledgerIntervalMs(connection: AnyConnection, defaultMs: number): number {
  return Math.max(defaultMs, parseDuration(connection.spec.limits.minInterval) ?? 0);
}
