// The alerts that fire, worst first: by severity, then the oldest. Computed from the statuses alone, which name no person.
import { canonicalName, canonicalScope } from '../../alerts/resource-id.ts';
import { byText } from '../../lib/compare-text.ts';
import { formatAge } from '../../lib/duration.ts';
import { conditionOf } from '../../operator/reasons/conditions.ts';
import { connectionKeyOf } from '../../policy/connection-key.ts';
import type { AlertStatus, MinSeverity } from '../../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { severityName, severityRank } from '../../policy/severity.ts';
import type { Section } from './model.ts';
import { displayNameOf, scopeText } from './object-name.ts';

/** One alert of one scope that is active with incidents, and every policy that shows it as `NAMESPACE/NAME`. */
export type FiringAlert = ReturnType<typeof firingAlert>;

export function firingAlerts(
  policies: readonly RoleAlertPolicy[],
  lowest: MinSeverity = 'Low',
): readonly FiringAlert[] {
  const found = new Map<string, FiringAlert>();
  for (const policy of policies) {
    for (const row of (policy.status?.alerts ?? []).filter(({ state }) => state === 'Firing')) {
      const firing = firingAlert(policy, row);
      const key = `${firing.connection} ${canonicalScope(firing.scope)} ${canonicalName(firing.alert)}`;
      const known = found.get(key);
      found.set(key, known ? joined(known, firing) : firing);
    }
  }
  const isAsked = ({ severity }: FiringAlert) => severityRank(severity) >= severityRank(lowest);
  return [...found.values()].filter(isAsked).sort(worstFirst);
}

function firingAlert(policy: RoleAlertPolicy, { name, severity, incidents }: AlertStatus) {
  const open = conditionOf(policy.status, 'IncidentsOpen');
  return {
    severity: severityName(severity),
    // When the first of the policies began to show open incidents, of any alert.
    ...(open?.status === 'True' && { since: open.lastTransitionTime }),
    policies: [`${policy.metadata.namespace}/${policy.metadata.name}`],
    connection: connectionKeyOf(policy),
    scope: policy.status?.effective?.scope ?? policy.spec.scope,
    ...displayNameOf(policy),
    alert: name,
    total: incidents.total,
    types: incidents.byType ?? [],
    ids: incidents.ids ?? [],
  };
}

/** Two policies may show different lists of the same alert; the larger one counts. */
function joined(left: FiringAlert, right: FiringAlert): FiringAlert {
  const larger = right.total > left.total || right.ids.length > left.ids.length ? right : left;
  const since = [left.since, right.since].filter((time) => time !== undefined).sort(byText)[0];
  return {
    ...larger,
    ...(since !== undefined && { since }),
    policies: [...left.policies, ...right.policies].sort(byText),
  };
}

function worstFirst(left: FiringAlert, right: FiringAlert): number {
  return (
    severityRank(right.severity) - severityRank(left.severity) ||
    timeOf(left) - timeOf(right) ||
    byText(left.scope, right.scope) ||
    byText(left.alert, right.alert)
  );
}

/** An alert without a time comes last. */
function timeOf({ since }: FiringAlert): number {
  return since === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(since);
}

/** An unknown severity counts as High, as everywhere. */
export const isHigh = ({ severity }: FiringAlert) => severityRank(severity) === severityRank('High');

export function incidentsSection(firing: readonly FiringAlert[], nowMs: number): Section {
  const totalOf = (rank: number) =>
    firing.filter(({ severity }) => severityRank(severity) === rank).reduce((sum, { total }) => sum + total, 0);
  return {
    id: 'incidents',
    heading: 'Open incidents',
    columns: [
      { name: 'severity' },
      { name: 'age' },
      { name: 'incidents', isNumber: true },
      ...['alert', 'scope', 'policies'].map((name) => ({ name })),
      { name: 'ids', isWide: true },
    ],
    rows: firing.map(({ severity, since, total, alert, policies: showing, ids, ...named }) => ({
      cells: [
        severity,
        since === undefined ? '' : formatAge(nowMs - Date.parse(since)),
        total,
        alert,
        scopeText(named),
        showing.join(','),
        ids.join(','),
      ],
    })),
    nothing: 'No incidents are open.',
    charts: [
      {
        id: 'incident-chart',
        title: 'Open incidents by severity',
        parts: [
          { name: 'High', count: totalOf(2), colour: 'high' },
          { name: 'Medium', count: totalOf(1), colour: 'medium' },
          { name: 'Low', count: totalOf(0), colour: 'low' },
        ],
      },
    ],
    data: { incidents: firing },
  };
}
