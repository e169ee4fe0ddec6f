// What a recording keeps of a policy: everything that a plan reads, and of what people write only its length. Alerts need no
// redaction: the operator decodes no name of a person.
import { echoOf, type SentDeactivations } from '../plan/damping.ts';
import type { PolicyInput } from '../plan/plan-input.ts';
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import type { Condition, PolicyAlert, RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import { type ObjectMeta, requestedAtAnnotation, type RoleAlertPolicy } from '../policy/resources.ts';
import type { RequestAliases } from './request-aliases.ts';

/** The longest text of a person of which a recording keeps the length, in UTF-16 units. */
const keptLength = 120;

export function redactInput(input: PolicyInput, aliasOf: RequestAliases): PolicyInput {
  return { ...input, policy: redactPolicy(input.policy, aliasOf) };
}

export function redactEntry(entry: DismissalRecord): DismissalRecord {
  const { reason, ...rest } = entry;
  return reason === undefined ? entry : rest;
}

/** `request`: the generation, a blank and the request (plan/damping.ts). */
export function redactDeactivations(sent: SentDeactivations, aliasOf: RequestAliases): SentDeactivations {
  const start = sent.request.indexOf(' ') + 1;
  return { ...sent, request: `${sent.request.slice(0, start)}${aliasOf(sent.request.slice(start))}` };
}

function redactPolicy(
  { apiVersion, kind, metadata, spec, status }: RoleAlertPolicy,
  aliasOf: RequestAliases,
): RoleAlertPolicy {
  const { alerts } = spec;
  return {
    apiVersion,
    kind,
    metadata: redactMetadata(metadata, aliasOf),
    spec: { ...spec, ...(alerts && { alerts: alerts.map(redactAlert) }) },
    ...(status && { status: redactStatus(status, requestOf(metadata), aliasOf) }),
  };
}

/** No label and no annotation except the alias of the reconcile request, which damping reads. */
function redactMetadata(metadata: ObjectMeta, aliasOf: RequestAliases): ObjectMeta {
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } = metadata;
  const requestedAt = requestOf(metadata);
  return {
    name,
    namespace,
    uid,
    resourceVersion,
    generation,
    creationTimestamp,
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    ...(requestedAt !== undefined && { annotations: { [requestedAtAnnotation]: aliasOf(requestedAt) } }),
  };
}

function requestOf({ annotations }: ObjectMeta): string | undefined {
  return annotations?.[requestedAtAnnotation];
}

function redactAlert(alert: PolicyAlert): PolicyAlert {
  const { dismissal } = alert;
  return dismissal ? { ...alert, dismissal: { ...dismissal, reason: masked(dismissal.reason) } } : alert;
}

/** No message of a condition and no history: no plan reads them. */
function redactStatus(
  status: RoleAlertPolicyStatus,
  requested: string | undefined,
  aliasOf: RequestAliases,
): RoleAlertPolicyStatus {
  const { conditions, history: _, lastHandledReconcileAt: handled, ...rest } = status;
  return {
    ...rest,
    ...(handled !== undefined && { lastHandledReconcileAt: aliasOfHandled(handled, requested, aliasOf) }),
    ...(conditions && { conditions: conditions.map(redactCondition) }),
  };
}

/** The status repeats only the beginning of a long request. */
function aliasOfHandled(handled: string, requested: string | undefined, aliasOf: RequestAliases): string {
  return aliasOf(requested !== undefined && handled === echoOf(requested) ? requested : handled);
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
