// Incidents by scope and severity, from the statuses. An alert that several policies of a connection show counts once.
import { byText } from '../../lib/by-text.ts';
import type { AlertStatus } from '../../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { severityRank } from '../../policy/severity.ts';

export const severityColumns = ['High', 'Medium', 'Low'] as const;
export type SeverityColumn = (typeof severityColumns)[number];

export interface ScopeIncidents {
  readonly scope: string;
  readonly counts: Readonly<Record<SeverityColumn, number>>;
  readonly total: number;
}

/** Scopes with incidents of active alerts; most of severity High first. */
export function incidentsByScope(policies: readonly RoleAlertPolicy[]): readonly ScopeIncidents[] {
  const seen = new Set<string>();
  const scopes = new Map<string, Record<SeverityColumn, number>>();
  for (const policy of policies) {
    const scope = scopeOf(policy);
    const place = `${connectionOf(policy)} ${scope.toLowerCase()}`;
    for (const alert of policy.status?.alerts ?? []) {
      const key = `${place} ${alert.name.toLowerCase()}`;
      if (alert.state !== 'Firing' || seen.has(key)) continue;
      seen.add(key);
      const counts = scopes.get(scope) ?? { High: 0, Medium: 0, Low: 0 };
      counts[columnOf(alert)] += alert.incidents.total;
      scopes.set(scope, counts);
    }
  }
  return [...scopes].map(([scope, counts]) => rowOf(scope, counts)).sort(worstFirst);
}

/** Of all scopes together. */
export function openIncidents(policies: readonly RoleAlertPolicy[]): Omit<ScopeIncidents, 'scope'> {
  return addedUp('', incidentsByScope(policies));
}

export function addedUp(scope: string, rows: readonly ScopeIncidents[]): ScopeIncidents {
  const sum = (column: SeverityColumn) => rows.reduce((total, { counts }) => total + counts[column], 0);
  return rowOf(scope, { High: sum('High'), Medium: sum('Medium'), Low: sum('Low') });
}

function rowOf(scope: string, counts: Record<SeverityColumn, number>): ScopeIncidents {
  return { scope, counts, total: counts.High + counts.Medium + counts.Low };
}

/** An absent or unknown severity counts as High, as everywhere. */
function columnOf({ severity }: AlertStatus): SeverityColumn {
  return (['Low', 'Medium', 'High'] as const)[severityRank(severity)] ?? 'High';
}

function scopeOf({ spec, status }: RoleAlertPolicy): string {
  return status?.effective?.scope ?? spec.scope;
}

function connectionOf({ metadata, spec: { connectionRef } }: RoleAlertPolicy): string {
  const { kind, name } = connectionRef;
  return kind === 'RoleAlertConnection' ? `${metadata.namespace}/${name}` : name;
}

function worstFirst(left: ScopeIncidents, right: ScopeIncidents): number {
  const bySeverity = severityColumns.map((column) => right.counts[column] - left.counts[column]);
  return bySeverity.find((difference) => difference !== 0) ?? byText(left.scope, right.scope);
}
