// Connects `apply.ts` to one attempt: planning again in the tick of each send, the ledger, the confirmation by the API
// server, and the state of the scope.
import type { AlertClient, CallOptions } from '../alert-client/alert-client.ts';
import { canonicalName, sameName } from '../alerts/resource-id.ts';
import { formatTimestamp } from '../lib/timestamp.ts';
import { endsDismissal } from '../plan/batch.ts';
import type { Action } from '../plan/decisions.ts';
import { declarationOf } from '../plan/register.ts';
import { endpointKey } from '../policy/endpoint-key.ts';
import type { RoleAlertPolicy } from '../policy/resources.ts';
import type { RecordedDismissal } from './apply-deps.ts';
import { type Applied, applyActions } from './apply.ts';
import { type Basis, freshMs, type Known } from './basis.ts';
import { thresholdReached } from './breaker.ts';
import { confirmDeactivation } from './confirm.ts';
import type { ReconcileContext } from './context.ts';
import { gather, mayList } from './gather.ts';
import { markDismissal } from './mark-dismissal.ts';
import { outdated } from './outdated.ts';
import { isRefused, noteRefusal } from './refused-status.ts';
import { rememberDeactivation, rememberSent } from './remember-sent.ts';

/** An attempt after its first complete list. */
export interface Attempt {
  readonly context: ReconcileContext;
  readonly gathered: Known;
  readonly client: AlertClient;
  readonly basis: Basis;
}

export function applyBatch(attempt: Attempt, actions: readonly Action[]): Promise<Applied> {
  const { context, gathered, client, basis } = attempt;
  const { deps, runtime, ref, signal } = context;
  const { observer, clock, checkMayWrite } = deps;
  let mayRenew = true;
  return applyActions(
    {
      client,
      observer,
      checkMayWrite,
      nowMs: () => clock.now(),
      check(action) {
        if (!action.isActive && !basis.isFresh && !mayRenew) throw outdated('the list is too old');
        basis.check(action);
      },
      checkRecorded: (action, recorded) => basis.checkRecorded(action, recorded),
      recordDismissal: (action) => record(attempt, action),
      confirm: (action) => confirmDeactivation(deps.cluster, gathered, action, signal),
      async freshen(call) {
        if (basis.isFresh || !mayRenew) return undefined;
        mayRenew = false;
        const begunMs = clock.monotonic();
        const { beforeSend } = listOptions(context);
        basis.renew({ list: await client.listAlerts(listedScope(gathered), { ...call, beforeSend }), begunMs });
        return clock.monotonic() - begunMs > freshMs ? 'Slowly' : undefined;
      },
      noteDeactivation: (action) => rememberDeactivation(context, gathered, action),
      noteSent: (alert, write) => rememberSent(context, gathered, alert, write),
      reportReachability: (isReached) =>
        runtime.stepBreaker(isReached ? { kind: 'PatchAnswered' } : { kind: 'PatchUnreached', scope: ref.scope }),
      mayContinue: () => !thresholdReached(runtime.breaker),
    },
    {
      connection: ref.connection,
      scope: listedScope(gathered),
      actions,
      sent: runtime.state(ref.scope).sent,
      pages: basis.pages,
      intervalMs: gathered.intervalMs,
    },
    // The end of a dismissal overtakes resyncs and the rest of a large plan.
    { ...callOptions(context), ...(actions.some(endsDismissal) && { priority: 'high' }) },
  );
}

async function record(attempt: Attempt, action: Action): Promise<RecordedDismissal> {
  const { context, gathered } = attempt;
  const { runtime, ref, deps } = context;
  const { alert, policyKey = '' } = action;
  const policy = gathered.policies.find(({ key }) => key === policyKey)?.policy;
  const declaration = policy ? declarationOf(policy, policyKey, alert) : { policy: policyKey };
  const entry = { scope: ref.scope, alert, ...declaration };
  // Otherwise each try would write an entry and take it back.
  if (policy && (isRefused(context, policy) || wasDropped(context, alert)))
    await mark(attempt, action, policy, formatTimestamp(deps.clock.now()));
  const atMs = deps.clock.monotonic();
  const cancel = await runtime.statusWriter.recordDismissal(entry);
  try {
    await mark(attempt, action, policy, runtime.statusWriter.ledger.find({ scope: ref.scope, alert })?.since);
  } catch (error) {
    cancel();
    throw error;
  }
  return { atMs, cancel };
}

/** True while the API server did not store the mark of the last try. */
function wasDropped({ runtime, ref }: ReconcileContext, alert: string): boolean {
  return runtime.state(ref.scope).sent.get(canonicalName(alert))?.failure?.kind === 'Unrecorded';
}

/** The status of the policy shows the deactivation as well, before it is sent. */
async function mark(
  { context, gathered, basis }: Attempt,
  { alert, policyKey }: Action,
  policy: RoleAlertPolicy | undefined,
  since: string | undefined,
): Promise<void> {
  const { deps, signal } = context;
  const decided = basis.plan.policies.find(({ key }) => key === policyKey);
  const decision = decided?.alerts.find(({ name }) => sameName(name, alert));
  if (!policy || !decision || since === undefined) throw outdated('nothing to record');
  try {
    await markDismissal(deps, { policy, decision, since, endpoint: endpointKey(gathered.connection) }, signal);
  } catch (error) {
    noteRefusal(context, policy, error);
    throw error;
  }
}

export function callOptions({ urgency, signal, waitSignal }: ReconcileContext): CallOptions {
  return { priority: urgency === 'edit' ? 'high' : 'low', signal, waitSignal };
}

/** A list waits for the rate limiter and other things; it is sent only while a policy may list the scope. */
export function listOptions(context: ReconcileContext): CallOptions & { readonly beforeSend: () => void } {
  const { deps, runtime, ref } = context;
  return {
    ...callOptions(context),
    beforeSend() {
      if (!mayList(gather(deps, runtime, ref))) throw outdated('the scope may not be listed any more');
    },
  };
}

/** In the spelling of a policy; the service compares scopes without regard to case. */
export function listedScope({ policies, ref }: Known): string {
  return policies[0]?.policy.spec.scope ?? ref.scope;
}
