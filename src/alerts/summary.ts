// Summarizes the incidents of one alert for a status: the exact total, counts by type, and ids.
import type { Alert, Incident } from './types.ts';

export interface IncidentSummary {
  readonly total: number;
  /**
   * Most frequent first, then by name; at most eight types, then `other`. Counts only the incidents that the service sent. Absent
   * when they have one type, which the name of the alert implies: every value of a status costs the API server work.
   */
  readonly byType?: { readonly type: string; readonly count: number }[];
  /** Sorted, because the service promises no order. */
  readonly ids?: readonly string[];
  /** True when `ids` has fewer entries than `total`. */
  readonly truncated?: boolean;
}

const typeLimit = 8;
const otherTypes = 'other';

export function summarizeIncidents(alert: Alert | undefined, idLimit: number): IncidentSummary {
  if (!alert || alert.incidentCount === 0) return { total: 0 };
  const byType = countByType(alert.incidents);
  const ids =
    idLimit === 0
      ? []
      : alert.incidents
          .map(({ id }) => id)
          .sort()
          .slice(0, idLimit);
  return {
    total: alert.incidentCount,
    ...(byType.length > 1 && { byType }),
    ...(ids.length > 0 && { ids }),
    ...(ids.length < alert.incidentCount && { truncated: true }),
  };
}

function countByType(incidents: readonly Incident[]): { type: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { type } of incidents) counts.set(type, (counts.get(type) ?? 0) + 1);
  const sorted = [...counts]
    .map(([type, count]) => ({ type, count }))
    .sort((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1));
  const rest = sorted.splice(typeLimit).reduce((sum, { count }) => sum + count, 0);
  const named = sorted.find(({ type }) => type === otherTypes);
  if (rest > 0 && named) named.count += rest;
  else if (rest > 0) sorted.push({ type: otherTypes, count: rest });
  return sorted;
}
