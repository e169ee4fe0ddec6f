// The middle of a pass: list, plan, apply, list again, plan again. What it returns is what was seen and decided; writing it
// down is record.ts.
import type { AlertList } from '../alerts/types.ts';
import { OperatorError } from '../lib/errors.ts';
import { type Correction, confirmWrites } from '../plan/corrections.ts';
import { withDeactivation } from '../plan/damping.ts';
import { plan } from '../plan/plan.ts';
import { nextRepeats } from '../plan/repeats.ts';
import type { Action, Plan } from '../plan/types.ts';
import type { RoleAlertConnection } from '../policy/resources.ts';
import { type Applied, applyActions } from './apply.ts';
import { confirmDeactivation } from './confirm.ts';
import { afterAnsweredPatch, afterUnreachedPatch, isInDoubt } from './gate.ts';
import type { Gathered } from './gather.ts';
import { noteHealth } from './note-health.ts';
import type { Pass } from './pass.ts';
import type { AlertsPort, CallOptions, Reservation } from './ports.ts';

export interface Look {
  readonly plan: Plan;
  readonly corrections: readonly Correction[];
  readonly isWriting: boolean;
  /** What ended the look after the first whole list. With nothing sent, the plan was not carried out at all. */
  readonly error: OperatorError | undefined;
}

/** Rejects with the `OperatorError` of the first list: then nothing is known and nothing was planned. */
export async function look(
  pass: Pass,
  gathered: Gathered & { readonly connection: RoleAlertConnection },
): Promise<Look> {
  const { tools, session, ref } = pass;
  const client = session.client(gathered.connection);
  const memory = session.memory(ref.scope);
  const firstBegunMs = tools.clock.monotonic();
  const first = await client.listAlerts(listedScope(gathered), callOptions(pass));
  noteHealth(pass, gathered, undefined);
  const before = decide(pass, gathered, first, firstBegunMs);
  if (before.plan.actions.length === 0) return { ...before, isWriting: false, error: undefined };
  const applied = await apply(pass, gathered, before.plan.actions, first.pages);
  memory.sent = applied.sent;
  if (applied.count === 0) {
    applied.reservation?.release();
    return { ...before, isWriting: false, error: applied.error };
  }
  const verifyBegunMs = tools.clock.monotonic();
  const verified = applied.error ?? (await verify(client, gathered, pass.signal, applied.reservation));
  applied.reservation?.release();
  // A list that fails now proves nothing: the first one stays, and the writes stay open.
  const isFailed = verified instanceof Error;
  const after = isFailed
    ? decide(pass, gathered, first, firstBegunMs)
    : decide(pass, gathered, verified, verifyBegunMs);
  return {
    plan: after.plan,
    corrections: [...before.corrections, ...after.corrections],
    isWriting: true,
    error: isFailed ? verified : undefined,
  };
}

function apply(
  pass: Pass,
  gathered: Gathered & { readonly connection: RoleAlertConnection },
  actions: readonly Action[],
  pages: number,
): Promise<Applied> {
  const { tools, session, ref, signal } = pass;
  const { observer, clock, checkMayWrite } = tools;
  const { sent } = session.memory(ref.scope);
  const { intervalMs } = gathered;
  return applyActions(
    {
      client: session.client(gathered.connection),
      observer,
      checkMayWrite,
      nowMs: () => clock.now(),
      noteDeactivation: (action) => noteDeactivation(pass, gathered, action),
      noteReached(isReached) {
        session.gate = isReached ? afterAnsweredPatch(session.gate) : afterUnreachedPatch(session.gate, ref.scope);
        return !isInDoubt(session.gate);
      },
      async enter(action) {
        const takeBack = await session.recorder.enter(ledgerEntry(ref.scope, action));
        try {
          await confirmDeactivation(tools.cluster, gathered, action, signal);
        } catch (error) {
          // Nothing was turned off, so nothing may be turned on because of it: not even if somebody else turns it off next.
          takeBack();
          throw error;
        }
        return takeBack;
      },
    },
    { connection: ref.connection, scope: listedScope(gathered), actions, sent, pages, intervalMs },
    callOptions(pass),
  );
}

/** Damping counts what is sent. */
function noteDeactivation({ tools, session, ref }: Pass, { policies }: Gathered, { alert, policyKey }: Action): void {
  const memory = session.memory(ref.scope);
  const policy = policies.find(({ key }) => key === policyKey)?.policy;
  if (policy) memory.damping = withDeactivation(memory.damping, policy, alert, tools.clock.now());
}

function callOptions({ urgency, signal, patience }: Pass): CallOptions {
  return { priority: urgency === 'edit' ? 'high' : 'low', signal, patience };
}

/** The list that proves what was sent, or the error it ended with. It waits for nobody and gives way to nobody. */
async function verify(
  client: AlertsPort,
  gathered: Gathered,
  signal: AbortSignal,
  prepaid: Reservation | undefined,
): Promise<AlertList | OperatorError> {
  try {
    const call: CallOptions = { priority: 'high', signal, ...(prepaid && { prepaid }) };
    return await client.listAlerts(listedScope(gathered), call);
  } catch (error) {
    if (error instanceof OperatorError) return error;
    throw error;
  }
}

interface Decided {
  readonly plan: Plan;
  readonly corrections: readonly Correction[];
}

/** `listBegunMs` is monotonic. */
function decide(
  { tools, session, ref }: Pass,
  { intervalMs, policies }: Gathered,
  list: AlertList,
  listBegunMs: number,
): Decided {
  const memory = session.memory(ref.scope);
  const nowMs = tools.clock.now();
  const { corrections, open } = confirmWrites(memory.sent, list.alerts, intervalMs, nowMs);
  memory.sent = open;
  memory.repeats = nextRepeats(memory.repeats, corrections, intervalMs, nowMs);
  memory.lastListMs = tools.clock.monotonic();
  memory.pages = list.pages;
  for (const { cause } of corrections) tools.observer.correctionSeen(ref.connection, cause);
  const decided = plan({
    nowMs,
    isReadOnly: tools.isReadOnly,
    intervalMs,
    policies,
    alerts: list.alerts,
    ledger: session.recorder.entriesOf(ref.scope),
    ledgerRoom: session.recorder.room,
    deactivationsLeft: session.recorder.deactivationsLeft,
    nextDeactivationMs: session.recorder.nextDeactivationMs,
    unproven: session.recorder.unprovenBy(ref.scope, listBegunMs),
    sent: open,
    repeats: memory.repeats,
    damping: memory.damping,
  });
  return { plan: decided, corrections };
}

/** As one of the policies spells it; the service compares without regard to case. */
function listedScope({ policies, ref }: Gathered): string {
  return policies.find(({ isOwn }) => isOwn)?.policy.spec.scope ?? ref.scope;
}

function ledgerEntry(scope: string, { alert, policyKey }: Action) {
  return { scope, alert, policy: policyKey ?? '' };
}
