// Writing what a pass decided into the status of each policy: only where it differs, under the object's resourceVersion and
// uid, and with the events of the transition only after the write stood. A conflict is not an error: the object is read
// again, and the outcome is recorded with the generation that was planned.
import { isOperatorError, OperatorError } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import { isSameJson } from '../lib/same-json.ts';
import { policyEvents } from '../plan/events.ts';
import { nextPolicyStatus, type StatusInput } from '../plan/status.ts';
import type { RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import { type RoleAlertPolicy, referenceTo } from '../policy/resources.ts';
import { objectKey } from './catalog.ts';
import type { ClusterPort, EventPort, Observer } from './ports.ts';

export interface RecordTools {
  readonly cluster: ClusterPort;
  readonly events: EventPort;
  readonly observer: Observer;
  readonly log: Logger;
  /** By policy key, while a write is under way: what it says. The watch may tell it before the answer does. */
  readonly writing: Map<string, RoleAlertPolicyStatus>;
}

const conflictTries = 5;

/** Resolves once the status says it, or the object is gone. Rejects with the `OperatorError` of a write that failed. */
export async function recordPolicy(tools: RecordTools, input: StatusInput, signal: AbortSignal): Promise<void> {
  let { policy } = input;
  for (let tries = 1; ; tries++) {
    const key = objectKey(policy);
    const status = statusFor(input, policy);
    if (isSameJson(status, policy.status)) {
      tools.observer.policySeen(key, status);
      return;
    }
    tools.writing.set(key, status);
    try {
      tools.cluster.policies.remember(await tools.cluster.replacePolicyStatus(policy, status, signal));
      tools.observer.statusWritten('policy');
      announce(tools, input, policy, status);
      return;
    } catch (error) {
      // An API server that is just starting does not know our resources yet: only the watch says that an object is gone.
      if (isOperatorError(error, 'kube-not-found') && isGone(tools, policy)) return;
      if (!isOperatorError(error, 'kube-conflict') || tries >= conflictTries) throw error;
    } finally {
      tools.writing.delete(key);
    }
    const { namespace, name, uid } = policy.metadata;
    const fresh = await tools.cluster.readPolicy(namespace, name, signal);
    if (!fresh && !isGone(tools, policy)) throw notServed(key);
    // Another uid is another object: what was decided for the old one does not concern it.
    if (fresh?.metadata.uid !== uid) return;
    policy = fresh;
  }
}

function isGone({ cluster }: RecordTools, { metadata }: RoleAlertPolicy): boolean {
  return cluster.policies.get(objectKey({ metadata }))?.metadata.uid !== metadata.uid;
}

/** Not a proof that the object is gone: an API server that is just starting answers like that, too. */
function notServed(key: string): OperatorError {
  return new OperatorError('kube-not-found', 'The API server does not find the policy.', { detail: key });
}

/** The status that follows from `latest`, said of the spec that was planned. */
function statusFor(input: StatusInput, latest: RoleAlertPolicy): RoleAlertPolicyStatus {
  const { spec, metadata } = input.policy;
  const planned: RoleAlertPolicy = { ...latest, spec, metadata };
  return nextPolicyStatus({ ...input, policy: planned });
}

function announce(
  tools: RecordTools,
  input: StatusInput,
  before: RoleAlertPolicy,
  status: RoleAlertPolicyStatus,
): void {
  const { name, namespace } = before.metadata;
  tools.observer.policySeen(`${namespace}/${name}`, status);
  if (input.outcome.kind !== 'looked') return;
  const { decision, corrections } = input.outcome;
  const regarding = referenceTo(before);
  for (const event of policyEvents(before.status, status, decision.alerts, corrections)) {
    tools.events.record({ regarding, ...event });
    tools.log.info({ policy: `${namespace}/${name}`, reason: event.reason, note: event.note }, 'event');
  }
}
