// The middle of a pass: list, plan, apply, list again, plan again. What it returns is what was seen and decided; writing it
// down is record.ts.
import type { AlertList } from '../alerts/types.ts';
import type { OperatorError } from '../lib/errors.ts';
import { type Correction, confirmWrites } from '../plan/corrections.ts';
import { plan } from '../plan/plan.ts';
import type { Action, Plan } from '../plan/types.ts';
import type { RoleAlertConnection } from '../policy/resources.ts';
import { applyActions } from './apply.ts';
import type { Gathered } from './gather.ts';
import type { CallOptions, Observer } from './ports.ts';
import type { Urgency } from './queue.ts';
import type { ScopeMemory, Session } from './session.ts';

export interface LookTools {
  readonly observer: Observer;
  readonly isReadOnly: boolean;
  readonly nowMs: () => number;
  readonly monotonicMs: () => number;
  readonly checkMayWrite: () => void;
}

export interface Look {
  readonly plan: Plan;
  readonly corrections: readonly Correction[];
  readonly isWriting: boolean;
  /** What ended the look after the first whole list. With nothing sent, the plan was not carried out at all. */
  readonly error: OperatorError | undefined;
}

/** Rejects with the `OperatorError` of the first list: then nothing is known and nothing was planned. */
export async function look(
  tools: LookTools,
  session: Session,
  gathered: Gathered & { readonly connection: RoleAlertConnection },
  urgency: Urgency,
  signal: AbortSignal,
): Promise<Look> {
  const client = session.client(gathered.connection);
  const memory = session.memory(gathered.ref.scope);
  const call: CallOptions = { priority: urgency === 'edit' ? 'high' : 'low', signal };
  const first = await client.listAlerts(listedScope(gathered), call);
  const before = decide(tools, session, gathered, memory, first);
  if (before.plan.actions.length === 0) return { ...before, isWriting: false, error: undefined };
  const applied = await applyActions(
    {
      client,
      observer: tools.observer,
      nowMs: tools.nowMs,
      checkMayWrite: tools.checkMayWrite,
      enter: (action) => session.recorder.enter([ledgerEntry(gathered, action)]),
    },
    {
      connection: gathered.ref.connection,
      scope: listedScope(gathered),
      actions: before.plan.actions,
      sent: memory.sent,
      pages: first.pages,
      intervalMs: gathered.intervalMs,
      urgency,
    },
    signal,
  );
  memory.sent = applied.sent;
  if (applied.count === 0) {
    applied.reservation?.release();
    return { ...before, isWriting: false, error: applied.error };
  }
  const verified = applied.error ? { list: first, error: applied.error } : await verify();
  applied.reservation?.release();
  const after = decide(tools, session, gathered, memory, verified.list);
  return {
    plan: after.plan,
    corrections: [...before.corrections, ...after.corrections],
    isWriting: true,
    error: verified.error,
  };

  /** A list that fails now proves nothing: the first one stays, and the writes stay open. */
  async function verify(): Promise<{ list: AlertList; error: OperatorError | undefined }> {
    const prepaid = applied.reservation;
    const list = await client
      .listAlerts(listedScope(gathered), { ...call, ...(prepaid && { prepaid }) })
      .catch((error: OperatorError) => error);
    return list instanceof Error ? { list: first, error: list } : { list, error: undefined };
  }
}

interface Decided {
  readonly plan: Plan;
  readonly corrections: readonly Correction[];
}

function decide(tools: LookTools, session: Session, gathered: Gathered, memory: ScopeMemory, list: AlertList): Decided {
  const { intervalMs, policies } = gathered;
  const nowMs = tools.nowMs();
  const { corrections, open } = confirmWrites(memory.sent, list.alerts, intervalMs, nowMs);
  memory.sent = open;
  memory.lastListMs = tools.monotonicMs();
  memory.pages = list.pages;
  for (const { cause } of corrections) tools.observer.correctionSeen(gathered.ref.connection, cause);
  const decided = plan({
    nowMs,
    isReadOnly: tools.isReadOnly,
    intervalMs,
    policies,
    alerts: list.alerts,
    ledger: session.recorder.entriesOf(gathered.ref.scope),
    ledgerRoom: session.recorder.room,
    sent: open,
  });
  return { plan: decided, corrections };
}

/** As the oldest policy spells it; the service compares without regard to case. */
function listedScope({ policies, ref }: Gathered): string {
  return policies.find(({ isOwn }) => isOwn)?.policy.spec.scope ?? ref.scope;
}

function ledgerEntry({ ref }: Gathered, { alert, policyKey }: Action) {
  return { scope: ref.scope, alert, policy: policyKey ?? '' };
}
