// Writing what a reconcile decided into the status of each policy: only where it differs, under the object's resourceVersion and
// uid, and with the events of the transition only after the write stood. A conflict is not an error: the object is read
// again, and the outcome is recorded with the generation that was planned.
import { CodedError, isCodedError } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import { isSameJson } from '../lib/same-json.ts';
import { policyEvents } from '../plan/events.ts';
import { nextPolicyStatus, type StatusInput } from '../plan/status.ts';
import type { RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import { type RoleAlertPolicy, referenceTo } from '../policy/resources.ts';
import { namespacedName } from './policy-index.ts';
import type { ClusterPort, EventPort, Observer } from './ports.ts';

export interface StatusWriterDeps {
  readonly cluster: ClusterPort;
  readonly events: EventPort;
  readonly observer: Observer;
  readonly log: Logger;
  /** By policy key, while a write is under way: what it says. The watch may tell it before the answer does. */
  readonly writing: Map<string, RoleAlertPolicyStatus>;
}

const conflictTries = 5;

/** Resolves once the status says it, or the object is gone. Rejects with the `CodedError` of a write that failed. */
export async function writePolicyStatus(
  deps: StatusWriterDeps,
  input: StatusInput,
  signal: AbortSignal,
): Promise<void> {
  let { policy } = input;
  for (let tries = 1; ; tries++) {
    const key = namespacedName(policy);
    const status = statusFor(input, policy);
    if (isSameJson(status, policy.status)) {
      deps.observer.policySeen(key, status);
      return;
    }
    deps.writing.set(key, status);
    try {
      deps.cluster.policies.remember(await deps.cluster.replacePolicyStatus(policy, status, signal));
      deps.observer.statusWritten('policy');
      emitEvents(deps, input, policy, status);
      return;
    } catch (error) {
      // An API server that is just starting does not know our resources yet: only the watch says that an object is gone.
      if (isCodedError(error, 'kube-not-found') && isGone(deps, policy)) return;
      if (!isCodedError(error, 'kube-conflict') || tries >= conflictTries) throw error;
    } finally {
      deps.writing.delete(key);
    }
    const { namespace, name, uid } = policy.metadata;
    const fresh = await deps.cluster.readPolicy(namespace, name, signal);
    if (!fresh && !isGone(deps, policy)) throw notServed(key);
    // Another uid is another object: what was decided for the old one does not concern it.
    if (fresh?.metadata.uid !== uid) return;
    policy = fresh;
  }
}

function isGone({ cluster }: StatusWriterDeps, { metadata }: RoleAlertPolicy): boolean {
  return cluster.policies.get(namespacedName({ metadata }))?.metadata.uid !== metadata.uid;
}

/** Not a proof that the object is gone: an API server that is just starting answers like that, too. */
function notServed(key: string): CodedError {
  return new CodedError('kube-not-found', 'The API server does not find the policy.', { detail: key });
}

/** The status that follows from `latest`, said of the spec that was planned. */
function statusFor(input: StatusInput, latest: RoleAlertPolicy): RoleAlertPolicyStatus {
  const { spec, metadata } = input.policy;
  const planned: RoleAlertPolicy = { ...latest, spec, metadata };
  return nextPolicyStatus({ ...input, policy: planned });
}

function emitEvents(
  deps: StatusWriterDeps,
  input: StatusInput,
  before: RoleAlertPolicy,
  status: RoleAlertPolicyStatus,
): void {
  const { name, namespace } = before.metadata;
  deps.observer.policySeen(`${namespace}/${name}`, status);
  if (input.outcome.kind !== 'listed') return;
  const { decision, corrections } = input.outcome;
  const regarding = referenceTo(before);
  for (const event of policyEvents(before.status, status, decision.alerts, corrections)) {
    deps.events.record({ regarding, ...event });
    deps.log.info({ policy: `${namespace}/${name}`, reason: event.reason, note: event.note }, 'event');
  }
}
