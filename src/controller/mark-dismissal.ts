// Marks a deactivation in the status of its policy before it is sent, so that the ledger has a copy that outlives the connection
// (plan/dismissal-marks.ts). A mark that the status has already is as good: only the next recorded status brings its time up to date.
import { sameName } from '../alerts/resource-id.ts';
import { pendingRow } from '../plan/alert-status.ts';
import type { AlertDecision } from '../plan/decisions.ts';
import { replacedMarkEvents, withMark } from '../plan/dismissal-marks.ts';
import type { RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import { pendingStatus, referenceTo, type RoleAlertPolicy } from '../policy/resources.ts';
import { namespacedName } from '../policy/scope-ref.ts';
import { ControllerError } from './controller-error.ts';
import { isAsGathered, outdated } from './outdated.ts';
import type { StatusWriterDeps } from './policy-status-writer.ts';
import { type ClusterPort, isClusterError, type Observer } from './ports.ts';

export interface DismissalToMark {
  /** As gathered for the plan. */
  readonly policy: RoleAlertPolicy;
  readonly decision: AlertDecision;
  readonly since: string;
  /** See `endpointKey`. */
  readonly endpoint: string;
}

type MarkDeps = Pick<StatusWriterDeps, 'writing' | 'events'> & {
  readonly cluster: Pick<ClusterPort, 'policies' | 'readPolicy' | 'replacePolicyStatus'>;
  readonly observer: Pick<Observer, 'statusWritten'>;
};

const conflictTries = 5;

/**
 * Resolves once the API server has the mark. Rejects with `plan-outdated` when the policy is no longer as gathered, with
 * `mark-dropped` when the API server does not store the mark, otherwise with the error of the write.
 */
export async function markDismissal(
  { cluster, writing, observer, events }: MarkDeps,
  dismissal: DismissalToMark,
  signal: AbortSignal,
): Promise<void> {
  const key = namespacedName(dismissal.policy);
  const { namespace, name } = dismissal.policy.metadata;
  let policy = cluster.policies.get(key);
  for (let tries = 1; ; tries++) {
    if (!policy || !isAsGathered(policy, dismissal.policy)) throw outdated('the policy has changed');
    if (isMarked(policy, dismissal.decision.name, dismissal.endpoint)) return;
    const { since, endpoint, decision } = dismissal;
    const status = withMark(policy.status ?? pendingStatus, pendingRow(decision, policy), { since, endpoint });
    writing.set(key, status);
    try {
      const stored = await cluster.replacePolicyStatus(policy, status, signal, 'stored');
      cluster.policies.remember(stored);
      demandMark(stored, status, dismissal);
      observer.statusWritten('policy');
      const regarding = referenceTo(policy);
      for (const event of replacedMarkEvents(policy.status, status)) events.record({ regarding, ...event });
      return;
    } catch (error) {
      if (!isClusterError(error, 'kube-conflict') || tries >= conflictTries) throw error;
    } finally {
      writing.delete(key);
    }
    policy = await cluster.readPolicy(namespace, name, signal);
  }
}

/** An older schema drops the mark without a word, and confirm.ts would find the plan outdated for ever. */
function demandMark(
  stored: RoleAlertPolicy,
  sent: RoleAlertPolicyStatus,
  { decision: { name }, endpoint }: DismissalToMark,
): void {
  if (!isMarked({ ...stored, status: sent }, name, endpoint) || isMarked(stored, name, endpoint)) return;
  throw new ControllerError('mark-dropped', 'The API server does not store the mark of a deactivation.', {
    detail: 'the CRDs of the cluster are older than the operator',
  });
}

/** True when the status of the policy shows that the alert is inactive at this service because of the operator. */
export function isMarked({ status }: RoleAlertPolicy, alert: string, endpoint: string): boolean {
  const row = status?.alerts?.find(({ name }) => sameName(name, alert));
  return status?.dismissalEndpoint === endpoint && row?.dismissedAt !== undefined;
}
