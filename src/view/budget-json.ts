// The budgets of connections as data for scripts. The shape is a contract: within a version members may be added, never renamed or
// removed.
import { formatShortDuration } from '../lib/duration.ts';
import { partsOfConnectionKey } from '../policy/connection-key.ts';
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

function needJson({ scopes, loads, requestsPerHour, isSufficient, restart, room, shortestMs }: BudgetNeed): object {
  return {
    scopes,
    intervals: loads.map(({ intervalMs, requests }) => ({ interval: formatShortDuration(intervalMs), requests })),
    requestsPerHour,
    capacity: isSufficient ? 'Sufficient' : 'TooSmall',
    restart: { requests: restart.requests, seconds: Math.ceil(restart.durationMs / 1000) },
    room: { scopes: room.scopes, interval: formatShortDuration(room.intervalMs) },
    ...(shortestMs !== undefined && { shortestInterval: formatShortDuration(shortestMs) }),
  };
}
