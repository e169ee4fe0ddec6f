// The order and the names of severities (specification 2.4).
import type { Severity } from '../alerts/types.ts';

/** 0 for Low to 2 for High. An unknown or missing severity counts as the highest, which is the safe side. */
export function severityRank(severity: Severity): number {
  const rank = ['low', 'medium', 'high'].indexOf(severity?.toLowerCase() ?? '');
  return rank === -1 ? 2 : rank;
}

/** One of four names, whatever text the service reports. */
export function severityName(severity: Severity): 'Low' | 'Medium' | 'High' | 'Unknown' {
  const text = severity?.toLowerCase();
  return (['Low', 'Medium', 'High'] as const).find((name) => name.toLowerCase() === text) ?? 'Unknown';
}
