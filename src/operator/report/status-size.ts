// Keeps a status below 64 KiB however many incidents the service returns. It drops ids of incidents first, then counts by type,
// then severities, and rows last. Totals remain.
import { fitsBytes } from '../../lib/clean-text.ts';
import type { AlertStatus, RoleAlertPolicyStatus } from '../../policy/generated/role-alert-policy.ts';

/** Bytes of JSON; leaves room below the promised 64 KiB for what the API server adds. */
export const statusLimitBytes = 60 * 1024;

/** Ordered from the least loss to the greatest. */
const shrinks: readonly ((alert: AlertStatus) => AlertStatus)[] = [
  ...[25, 12, 6, 3, 1, 0].map((limit) => (alert: AlertStatus) => withIds(alert, limit)),
  totalsOnly,
  withoutSeverity,
];

export function fitStatus(status: RoleAlertPolicyStatus): RoleAlertPolicyStatus {
  let fitted = status;
  for (const shrink of shrinks) {
    if (fits(fitted)) return fitted;
    fitted = withAlerts(status, shrink);
  }
  return withFewerRows(fitted);
}

/** The last resort, for very long names: drops the last rows. */
function withFewerRows(status: RoleAlertPolicyStatus): RoleAlertPolicyStatus {
  let { alerts = [] } = status;
  while (alerts.length > 0 && !fits({ ...status, alerts })) alerts = alerts.slice(0, Math.floor(alerts.length * 0.9));
  return { ...status, ...(status.alerts && { alerts }) };
}

function fits(status: RoleAlertPolicyStatus): boolean {
  return fitsBytes(JSON.stringify(status), statusLimitBytes);
}

function withAlerts(status: RoleAlertPolicyStatus, shrink: (alert: AlertStatus) => AlertStatus): RoleAlertPolicyStatus {
  return { ...status, ...(status.alerts && { alerts: status.alerts.map(shrink) }) };
}

function withIds(alert: AlertStatus, limit: number): AlertStatus {
  const { ids, ...incidents } = alert.incidents;
  if (!ids || ids.length <= limit) return alert;
  const shorter = limit > 0 ? { ids: ids.slice(0, limit) } : {};
  return { ...alert, incidents: { ...incidents, ...shorter, truncated: true } };
}

/** The service may return a severity of any length. */
function withoutSeverity(alert: AlertStatus): AlertStatus {
  const { severity: _, ...rest } = totalsOnly(alert);
  return rest;
}

function totalsOnly(alert: AlertStatus): AlertStatus {
  const { total } = alert.incidents;
  return { ...alert, incidents: { total, ...(total > 0 && { truncated: true }) } };
}
