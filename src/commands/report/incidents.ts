// The alerts that fire, worst first: by severity, then the oldest. Computed from the statuses alone, which name no person.
import { canonicalName, canonicalScope } from '../../alerts/resource-id.ts';
import { byText } from '../../lib/by-text.ts';
import { conditionOf } from '../../operator/reasons/conditions.ts';
import { connectionKeyOf } from '../../policy/connection-key.ts';
import type { AlertStatus } from '../../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { severityName, severityRank } from '../../policy/severity.ts';

/** One alert of one scope that is active with incidents, and every policy that shows it. */
export interface FiringAlert {
  readonly severity: ReturnType<typeof severityName>;
  /** When the first of the policies began to show open incidents, RFC 3339; absent when none says it. */
  readonly since?: string;
  /** `NAMESPACE/NAME`, in the order of the text. */
  readonly policies: readonly string[];
  /** The key of the connection (policy/connection-key.ts). */
  readonly connection: string;
  readonly scope: string;
  readonly alert: string;
  readonly total: number;
  readonly types: readonly { readonly type: string; readonly count: number }[];
  /** As many as a status holds. */
  readonly ids: readonly string[];
}

export function firingAlerts(policies: readonly RoleAlertPolicy[]): readonly FiringAlert[] {
  const found = new Map<string, FiringAlert>();
  for (const policy of policies) {
    for (const row of (policy.status?.alerts ?? []).filter(({ state }) => state === 'Firing')) {
      const firing = firingAlert(policy, row);
      const key = `${firing.connection} ${canonicalScope(firing.scope)} ${canonicalName(firing.alert)}`;
      const known = found.get(key);
      found.set(key, known ? joined(known, firing) : firing);
    }
  }
  return [...found.values()].sort(worstFirst);
}

function firingAlert(policy: RoleAlertPolicy, { name, severity, incidents }: AlertStatus): FiringAlert {
  const open = conditionOf(policy.status, 'IncidentsOpen');
  return {
    severity: severityName(severity),
    ...(open?.status === 'True' && { since: open.lastTransitionTime }),
    policies: [`${policy.metadata.namespace}/${policy.metadata.name}`],
    connection: connectionKeyOf(policy),
    scope: policy.status?.effective?.scope ?? policy.spec.scope,
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
