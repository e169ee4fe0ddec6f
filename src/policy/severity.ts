// The order of severities (specification 2.4).
import type { Severity } from '../alerts/types.ts';

/** 0 for Low to 2 for High. A severity we do not know, or none, counts as the highest: the safe side is to guard. */
export function severityRank(severity: Severity): number {
  const rank = ['low', 'medium', 'high'].indexOf(severity?.toLowerCase() ?? '');
  return rank === -1 ? 2 : rank;
}
