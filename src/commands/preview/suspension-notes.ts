// What a suspension does not hold: the dismissals that end while it lasts.
import { canonicalName } from '../../alerts/resource-id.ts';
import type { PolicyAlert } from '../../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { objectName } from '../report/object-name.ts';

/** One sentence for each dismissal in force that ends, or may end, before `untilMs` (undefined: without an end). */
export function suspensionNotes(policy: RoleAlertPolicy, untilMs: number | undefined): readonly string[] {
  const inForce = new Set((policy.status?.alerts ?? []).filter(({ live }) => live === 'Inactive').map(nameOf));
  return (policy.spec.alerts ?? []).flatMap((alert) => {
    const end = inForce.has(nameOf(alert)) ? endOf(alert, untilMs) : undefined;
    if (end === undefined) return [];
    return `${objectName(policy)}: the dismissal of ${alert.name} ends ${end}, also while the policy is suspended; if the operator deactivated the alert, it then activates it, and deactivates it again only after the suspension.`;
  });
}

/** Undefined when the dismissal outlives the suspension for certain. */
function endOf({ dismissal }: PolicyAlert, untilMs: number | undefined): string | undefined {
  if (!dismissal) return undefined;
  const { until, incidents, maxIncidents } = dismissal;
  const endMs = Date.parse(until ?? '');
  const bound = incidents ? 'an incident appears that it does not name' : `more than ${maxIncidents} incidents appear`;
  const hasBound = incidents !== undefined || maxIncidents !== undefined;
  const endsBefore = !Number.isNaN(endMs) && (untilMs === undefined || endMs < untilMs);
  if (endsBefore) return `at ${until}${hasBound ? `, or when ${bound}` : ''}`;
  return hasBound ? `when ${bound}` : undefined;
}

const nameOf = ({ name }: { readonly name: string }) => canonicalName(name);
