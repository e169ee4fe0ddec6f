// The report of a replay as data for scripts. The shape is a contract: within a version members may be added, never renamed or removed.
import { isNewDeactivation, type ReplayReport } from './replay.ts';

/** `version`: of this program. */
export function replayJson(report: ReplayReport, version: string): object {
  const { plans, differingPlans, programs, first, last, differences, unreadableRecords, unreadable } = report;
  return {
    apiVersion: 'cli.rolealerts.dev/v1',
    kind: 'ReplayReport',
    recordedBy: programs,
    replayedBy: version,
    ...(first !== undefined && { first, last }),
    totals: {
      plans,
      differingPlans,
      differences: differences.length,
      newDeactivations: differences.filter(isNewDeactivation).length,
      unreadableRecords,
    },
    differences,
    unreadable,
  };
}
