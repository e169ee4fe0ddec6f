// The lines about the register of a connection: what is dismissed through it, by which policy, until when and why.
import type { DismissalRecord } from '../../policy/generated/role-alert-connection.ts';
import type { RoleAlertConnection } from '../../policy/resources.ts';

export function registerLines(connection: RoleAlertConnection): readonly string[] {
  const { dismissals = [] } = connection.status ?? {};
  const entries = dismissals.length === 1 ? '1 entry' : `${dismissals.length} entries`;
  return [
    `Connection "${connection.metadata.name}" has ${entries} in its register of dismissals (status.dismissals):`,
    ...dismissals.map((entry) => `  ${entry.policy}: ${boundOf(entry)}${entry.reason ? `; ${entry.reason}` : ''}`),
  ];
}

function boundOf({ until, incidents, maxIncidents }: DismissalRecord): string {
  const parts = [
    incidents === undefined ? undefined : `${incidents} named incidents`,
    maxIncidents === undefined ? undefined : `at most ${maxIncidents} incidents`,
    until === undefined ? undefined : `until ${until}`,
  ];
  return parts.filter((part) => part !== undefined).join(', ') || 'no policy declares it';
}
