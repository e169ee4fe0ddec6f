// The budgets of connections as data for scripts. The shape is a contract: within a version members may be added, never renamed or
// removed.
import { formatShortDuration } from '../../lib/duration.ts';
import { partsOfConnectionKey } from '../../policy/connection-key.ts';
import type { BudgetNeed, ConnectionBudget } from './budget.ts';

export function budgetJson(budgets: readonly ConnectionBudget[]): object {
  return {
    apiVersion: 'cli.rolealerts.dev/v1',
    kind: 'Budget',
    connections: budgets.map(({ connection, limits, now, changed, reported }) => ({
      connection: partsOfConnectionKey(connection),
      limits: { requestsPerHour: limits.requestsPerHour, burst: limits.burst, minInterval: limits.minInterval },
      now: needJson(now),
      ...(changed && { changed: needJson(changed) }),
      ...(reported !== undefined && { reported }),
    })),
  };
}

function needJson({ scopes, loads, capacity }: BudgetNeed): object {
  return {
    scopes,
    intervals: loads.map(({ intervalMs, requests }) => ({ interval: formatShortDuration(intervalMs), requests })),
    requestsPerHour: capacity.facts.needed,
    capacity: capacity.status === 'True' ? 'Sufficient' : 'TooSmall',
  };
}
