// Connects `apply.ts` to one attempt: planning again in the tick of each send, the ledger, the confirmation by the API
// server, and the state of the scope.
import type { AlertClient, CallOptions } from '../alert-client/alert-client.ts';
import { endsDismissal } from '../plan/batch.ts';
import type { Action } from '../plan/decisions.ts';
import { declarationOf } from '../plan/register.ts';
import type { RecordedDismissal } from './apply-deps.ts';
import { type Applied, applyActions } from './apply.ts';
import { type Basis, beginList, freshMs, type Known } from './basis.ts';
import { confirmDeactivation } from './confirm.ts';
import { isProbablyAway } from './connection-state.ts';
import type { ReconcileContext } from './context.ts';
import { gather, mayList } from './gather.ts';
import { outdated } from './outdated.ts';
import { rememberSent } from './remember-sent.ts';

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
        const begun = beginList(clock);
        const { beforeSend } = listOptions(context);
        basis.renew({ list: await client.listAlerts(listedScope(gathered), { ...call, beforeSend }), ...begun });
        return clock.monotonic() - begun.begunMs > freshMs ? 'Slowly' : undefined;
      },
      noteSent: (alert, write) => rememberSent(context, gathered, alert, write),
      reportReachability: (isReached) =>
        runtime.apply(isReached ? { kind: 'PatchAnswered' } : { kind: 'PatchUnreached', scope: ref.scope }),
      mayContinue: () => !isProbablyAway(runtime.connection),
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

async function record({ context, gathered }: Attempt, action: Action): Promise<RecordedDismissal> {
  const { runtime, ref, deps } = context;
  const { alert, policyKey = '' } = action;
  const policy = gathered.policies.find(({ key }) => key === policyKey)?.policy;
  const declaration = policy ? declarationOf(policy, policyKey, alert) : { policy: policyKey };
  const entry = { scope: ref.scope, alert, ...declaration };
  const atMs = deps.clock.monotonic();
  const namespace = policy?.metadata.namespace ?? '';
  return { atMs, ...(await runtime.statusWriter.recordDismissal(entry, namespace)) };
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
