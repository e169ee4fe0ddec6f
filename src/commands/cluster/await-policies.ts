// Waits until the operator has handled the edits of policies, as their statuses show it.
import { systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { systemRandom } from '../../lib/random.ts';
import { policyResource } from '../../operator/kube/custom-resources.ts';
import { createReflector, type Reflector, type ReflectorOptions } from '../../operator/kube/reflector.ts';
import { objectKey } from '../../operator/kube/resource.ts';
import { decodePolicy } from '../../policy/decode-resources.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { type EditProgress, editProgress, type PolicyEdit } from '../report/policy-edit.ts';
import type { ClusterPlace } from './cluster-place.ts';
import { WatchHealth } from './watch-health.ts';

export interface AwaitedPolicies {
  /** As the API server answered to their patches. */
  readonly edited: readonly RoleAlertPolicy[];
  readonly edit: PolicyEdit;
  readonly timeoutMs: number;
  /** Called once for each policy that is handled, with its current state. */
  readonly onHandled: (policy: RoleAlertPolicy, progress: Exclude<EditProgress, 'Waiting'>) => void;
}

export interface UnhandledPolicy {
  readonly edited: RoleAlertPolicy;
  /** As last seen; undefined when it was deleted meanwhile. */
  readonly last: RoleAlertPolicy | undefined;
}

/** Resolves with the policies that were not handled in time, or before `place.signal` aborted. */
export async function awaitPolicies(
  place: ClusterPlace,
  awaited: AwaitedPolicies,
): Promise<readonly UnhandledPolicy[]> {
  const { edit, timeoutMs, onHandled } = awaited;
  const waiting = new Map(awaited.edited.map((edited) => [objectKey(edited), edited]));
  const done = Promise.withResolvers<void>();
  const check = (key: string) => {
    const edited = waiting.get(key);
    const policy = reflector.get(key);
    const progress = edited && policy && isSameObject(policy, edited) ? editProgress(policy, edit, edited) : 'Waiting';
    if (!policy || progress === 'Waiting') return;
    waiting.delete(key);
    onHandled(policy, progress);
    if (waiting.size === 0) done.resolve();
  };
  const reflector = reflectPolicies(place, awaited.edited, {
    onEvent: ({ object, isInitial }) => (isInitial ? undefined : check(objectKey(object))),
    onSynced: () => [...waiting.keys()].forEach(check),
  });
  const timer = systemClock.setTimer(timeoutMs, () => done.resolve());
  const stop = () => done.resolve();
  place.signal.addEventListener('abort', stop, { once: true });
  reflector.start();
  if (waiting.size > 0 && !place.signal.aborted) await done.promise;
  place.signal.removeEventListener('abort', stop);
  timer.cancel();
  await reflector.stop();
  return [...waiting].map(([key, edited]) => {
    const last = reflector.hasSynced ? reflector.get(key) : edited;
    return { edited, last: last?.metadata.uid === edited.metadata.uid ? last : undefined };
  });
}

/** False for an object that was deleted and created again, and for a version before the edit. */
function isSameObject(policy: RoleAlertPolicy, edited: RoleAlertPolicy): boolean {
  return policy.metadata.uid === edited.metadata.uid && policy.metadata.generation >= edited.metadata.generation;
}

/** One policy alone is selected by its name; otherwise the namespace, or all of them. */
function reflectPolicies(
  { transport, namespace, note }: ClusterPlace,
  edited: readonly RoleAlertPolicy[],
  handlers: ReflectorOptions<RoleAlertPolicy>['handlers'],
): Reflector<RoleAlertPolicy> {
  const [only] = edited.length === 1 ? edited : [];
  return createReflector<RoleAlertPolicy>({
    resource: policyResource,
    decode: decodePolicy,
    namespaces: only ? [only.metadata.namespace] : namespace === undefined ? [] : [namespace],
    fieldSelector: only && `metadata.name=${only.metadata.name}`,
    transport,
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    handlers,
    observer: new WatchHealth(systemClock, (sentence) => sentence !== undefined && note(sentence)).observer,
  });
}
