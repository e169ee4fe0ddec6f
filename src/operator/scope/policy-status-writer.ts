// Writes the result of a reconcile into the status of each policy: only if it differs, guarded by the resourceVersion
// and uid of the object, and with the log lines and events of the transition after the write succeeded. A conflict is not an error:
// the writer reads the object again and records the outcome with the generation that was planned.
import { isSameJson } from '../../lib/json-shape.ts';
import type { RoleAlertPolicyStatus } from '../../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { namespacedName } from '../../policy/scope-ref.ts';
import { ControllerError } from '../controller-error.ts';
import { recordTransition } from '../logging.ts';
import { isClusterError } from '../ports.ts';
import { statusEvents } from '../report/events.ts';
import { nextPolicyStatus, type StatusInput } from '../report/policy-status.ts';
import { isAsGathered, type ReconcileDeps } from './gather.ts';

type StatusWriterDeps = Pick<ReconcileDeps, 'cluster' | 'events' | 'observer' | 'log' | 'writing'>;

const conflictTries = 5;

/** Resolves once the status is written or the object is gone. Rejects with the `CodedError` of a failed write. */
export async function writePolicyStatus(
  deps: StatusWriterDeps,
  input: StatusInput,
  signal: AbortSignal,
): Promise<void> {
  let policy = latestOf(deps, input.policy);
  for (let tries = 1; ; tries++) {
    const key = namespacedName(policy);
    if (isSuperseded(input, policy)) return;
    const status = statusFor(input, policy);
    if (isSameJson(status, policy.status)) return;
    deps.writing.set(key, status);
    try {
      const stored = await deps.cluster.replacePolicyStatus(policy, status, signal);
      deps.cluster.policies.remember(stored);
      // An older CRD drops members of the status: if nothing else has changed, the write had no effect.
      const hadEffect = stored.metadata.resourceVersion !== policy.metadata.resourceVersion;
      if (hadEffect) announce(deps, input, policy, status);
      return;
    } catch (error) {
      if (isClusterError(error, 'kube-unreachable') && (await isStored(deps, policy, status, signal))) {
        announce(deps, input, policy, status);
        return;
      }
      // An API server that is starting does not know the custom resources yet: only the watch proves that an object is
      // gone.
      if (isClusterError(error, 'kube-not-found') && isGone(deps, policy)) return;
      if (!isClusterError(error, 'kube-conflict') || tries >= conflictTries) throw error;
    } finally {
      deps.writing.delete(key);
    }
    const { namespace, name, uid } = policy.metadata;
    const fresh = await deps.cluster.readPolicy(namespace, name, signal);
    if (!fresh && !isGone(deps, policy)) throw notServed(key);
    // Another uid is another object, which the outcome does not concern.
    if (fresh?.metadata.uid !== uid) return;
    policy = fresh;
  }
}

/**
 * True when a reconcile of a newer spec has decided the policy. That happens while the runtime of a deleted connection
 * ends: its last reconcile and the first one without it run side by side. Verified corrections are recorded all the same.
 */
function isSuperseded({ policy, cause }: StatusInput, latest: RoleAlertPolicy): boolean {
  const decided = latest.status?.observedGeneration ?? -1;
  const hasCorrections = cause.kind === 'listed' && cause.corrections.length > 0;
  return decided > (policy.metadata.generation ?? 0) && !hasCorrections;
}

/** The latest version with the planned spec, so that a status that another writer changed meanwhile causes no conflict. */
function latestOf({ cluster }: StatusWriterDeps, planned: RoleAlertPolicy): RoleAlertPolicy {
  const cached = cluster.policies.get(namespacedName(planned));
  return cached && isAsGathered(cached, planned) ? cached : planned;
}

function isGone({ cluster }: StatusWriterDeps, { metadata }: RoleAlertPolicy): boolean {
  return cluster.policies.get(namespacedName({ metadata }))?.metadata.uid !== metadata.uid;
}

/** No proof that the object is gone: an API server that is starting responds like that as well. */
function notServed(key: string): ControllerError {
  return new ControllerError('object-missing', 'The API server does not find the policy.', { detail: key });
}

/** The status that follows from `latest` for the planned spec and generation. */
function statusFor(input: StatusInput, latest: RoleAlertPolicy): RoleAlertPolicyStatus {
  const { spec, metadata } = input.policy;
  const planned: RoleAlertPolicy = { ...latest, spec, metadata };
  return nextPolicyStatus({ ...input, policy: planned });
}

/** True when the API server has the status although its response to the write was lost. */
async function isStored(
  { cluster }: StatusWriterDeps,
  { metadata: { namespace, name, uid } }: RoleAlertPolicy,
  status: RoleAlertPolicyStatus,
  signal: AbortSignal,
): Promise<boolean> {
  const stored = await cluster.readPolicy(namespace, name, signal).catch(() => undefined);
  return stored?.metadata.uid === uid && isSameJson(stored.status, status);
}

/** Counts the write, logs the conditions that changed, and emits the events. */
function announce(
  deps: StatusWriterDeps,
  input: StatusInput,
  before: RoleAlertPolicy,
  status: RoleAlertPolicyStatus,
): void {
  deps.observer.statusWritten('policy');
  recordTransition(deps, before, status, statusEvents(input, before.status, status));
}
