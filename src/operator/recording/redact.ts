// What a recording keeps of a policy: everything that a plan reads, and of what people write only its length. Alerts need no
// redaction: the operator decodes no name of a person.
import type { DismissalRecord } from '../../policy/generated/role-alert-connection.ts';
import type { Condition, PolicyAlert, RoleAlertPolicyStatus } from '../../policy/generated/role-alert-policy.ts';
import type { ObjectMeta, RoleAlertPolicy } from '../../policy/resources.ts';
import type { PolicyInput } from '../decide/plan-input.ts';

/** The longest text of a person of which a recording keeps the length, in UTF-16 units. */
const keptLength = 120;

export function redactInput(input: PolicyInput): PolicyInput {
  return { ...input, policy: redactPolicy(input.policy) };
}

export function redactEntry(entry: DismissalRecord): DismissalRecord {
  const { reason, ...rest } = entry;
  return reason === undefined ? entry : rest;
}

function redactPolicy({ apiVersion, kind, metadata, spec, status }: RoleAlertPolicy): RoleAlertPolicy {
  const { alerts } = spec;
  return {
    apiVersion,
    kind,
    metadata: redactMetadata(metadata),
    spec: { ...spec, ...(alerts && { alerts: alerts.map(redactAlert) }) },
    ...(status && { status: redactStatus(status) }),
  };
}

/** No label and no annotation. */
function redactMetadata(metadata: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } = metadata;
  const kept = { name, namespace, uid, resourceVersion, generation, creationTimestamp };
  return deletionTimestamp === undefined ? kept : { ...kept, deletionTimestamp };
}

function redactAlert(alert: PolicyAlert): PolicyAlert {
  const { dismissal } = alert;
  return dismissal ? { ...alert, dismissal: { ...dismissal, reason: masked(dismissal.reason) } } : alert;
}

/** No message of a condition, no reconcile request and no history: no plan reads them. */
function redactStatus(status: RoleAlertPolicyStatus): RoleAlertPolicyStatus {
  const { conditions, history: _, lastHandledReconcileAt: __, ...rest } = status;
  return { ...rest, ...(conditions && { conditions: conditions.map(redactCondition) }) };
}

function redactCondition(condition: Condition): Condition {
  return { ...condition, message: '' };
}

/** A reason counts by its visible characters (policy/dismissal.ts), so each of them becomes an x. */
function masked(reason: string): string {
  return reason
    .slice(0, keptLength)
    .toWellFormed()
    .replace(/[\p{L}\p{N}\p{P}\p{S}]/gu, 'x');
}
