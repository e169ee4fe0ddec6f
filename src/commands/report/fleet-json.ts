// The fleet as data for scripts. The shape is a contract: within a version members may be added, never renamed or removed.
import type { Fleet } from './fleet.ts';

export function fleetJson({ totals, findings, policies, connections }: Fleet): object {
  return {
    apiVersion: 'cli.rolealerts.dev/v1',
    kind: 'FleetStatus',
    totals,
    findings: findings.map(({ kind, object, reason, message, incidents }) => ({
      kind,
      object,
      reason,
      message,
      ...(incidents !== undefined && { incidents }),
    })),
    policies,
    connections,
  };
}
