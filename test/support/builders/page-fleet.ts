// A fleet with something in every section of the page, and with text that would break out of HTML without escaping.
import type { FleetInput } from '../../../src/commands/report/fleet.ts';
import type { ReportInput } from '../../../src/commands/report/sections.ts';
import type { AlertStatus, Condition } from '../../../src/policy/generated/role-alert-policy.ts';
import type { RoleAlertConnection } from '../../../src/policy/resources.ts';
import { at, connection, minuteMs, nowMs, policy } from './objects.ts';

const dayMs = 24 * 60 * minuteMs;

/** Harmless as text, and a script, an attribute or a change of direction as markup. */
export const hostileText = `"><script>alert(1)</script>'\u202e`;

export function condition(
  type: string,
  status: Condition['status'],
  reason: string,
  message = `${reason} here.`,
): Condition {
  return { type, status, reason, message, lastTransitionTime: at(-minuteMs) };
}

export function alertRow(name: string, change: Partial<AlertStatus> = {}): AlertStatus {
  return { name, want: 'Active', live: 'Active', state: 'Armed', result: 'InSync', incidents: { total: 0 }, ...change };
}

export const firingRow = (name: string, total: number, severity: string): AlertStatus =>
  alertRow(name, { state: 'Firing', severity, incidents: { total } });

export interface PagePolicy {
  readonly name: string;
  readonly scope?: string;
  readonly conditions?: readonly Condition[];
  readonly alerts?: readonly AlertStatus[];
}

export function pagePolicy({ name, scope = `subscriptions/${name}`, conditions, alerts = [] }: PagePolicy) {
  const incidents = alerts.reduce((total, row) => total + row.incidents.total, 0);
  const declared = alerts.length;
  return policy({
    name,
    spec: { scope },
    status: {
      observedGeneration: 1,
      conditions: conditions ?? [condition('Ready', 'True', 'Succeeded')],
      summary: {
        declared,
        inSync: declared,
        drifted: 0,
        missing: 0,
        dismissed: 0,
        incidents,
        inSyncText: `${declared}/${declared}`,
      },
      alerts,
    },
  });
}

/** One connection with these dismissals. */
export function dismissing(
  ...dismissals: NonNullable<NonNullable<RoleAlertConnection['status']>['dismissals']>
): RoleAlertConnection {
  const conditions = [condition('Ready', 'True', 'Connected'), condition('Capacity', 'True', 'Sufficient')];
  return { ...connection(), status: { observedGeneration: 1, conditions, policies: 1, dismissals } };
}

export const dismissal = (alert: string, endsInDays?: number) => ({
  scope: 'subscriptions/a',
  alert,
  policy: 'team/a',
  since: at(-dayMs),
  ...(endsInDays !== undefined && { until: at(endsInDays * dayMs) }),
});

const driftedRow = alertRow('Owners', {
  lastDrift: { at: at(-2 * minuteMs), actorClass: 'User', direction: 'Deactivated' },
});

/** A policy for every kind of row, and a connection with two dismissals. */
export const pageFleet = {
  policies: [
    pagePolicy({
      name: 'stalled',
      conditions: [
        condition('Ready', 'False', 'ScopeNotFound', hostileText),
        condition('Stalled', 'True', 'ScopeNotFound', hostileText),
      ],
    }),
    pagePolicy({
      name: 'firing',
      alerts: [firingRow('Owners', 3, 'High'), firingRow('Guests', 2, 'Low')],
      conditions: [condition('Ready', 'True', 'Succeeded'), condition('IncidentsOpen', 'True', 'IncidentsOpen')],
    }),
    pagePolicy({ name: 'drifted', alerts: [driftedRow] }),
    policy({ name: 'waiting' }),
  ],
  connections: [dismissing(dismissal('Guests', 3), { ...dismissal('Owners'), incidents: 2, reason: hostileText })],
  nowMs,
} as const;

/** With the defaults of the options. */
export function pageReportInput(fleet: FleetInput): ReportInput {
  return { ...fleet, place: 'all namespaces', namespace: undefined, aheadMs: 30 * dayMs, defaultMs: 15 * minuteMs };
}
