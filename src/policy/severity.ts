// The order of severities (specification 2.4).
import type { Severity } from '../alerts/types.ts';

/** 0 for Low to 2 for High. An unknown or missing severity counts as the highest, which is the safe side. */
export function severityRank(severity: Severity): number {
  const rank = ['low', 'medium', 'high'].indexOf(severity?.toLowerCase() ?? '');
  return rank === -1 ? 2 : rank;
}
