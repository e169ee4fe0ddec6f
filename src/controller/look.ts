// The middle of a pass: list, plan, send a batch, list again, plan again. What it returns is what was seen and decided; writing it
// down is record.ts.
import type { AlertList } from '../alerts/types.ts';
import { OperatorError } from '../lib/errors.ts';
import { batchLimit, endsDismissal, nextBatch } from '../plan/batch.ts';
import type { Correction } from '../plan/corrections.ts';
import { isOfService } from '../plan/failures.ts';
import type { Action, Plan } from '../plan/types.ts';
import { type Applied, applyActions, type Entered } from './apply.ts';
import { Basis, type Known, outdated, rememberDeactivation, rememberSent } from './basis.ts';
import { confirmDeactivation } from './confirm.ts';
import { afterAnsweredPatch, afterUnreachedPatch, isInDoubt } from './gate.ts';
import { noteHealth } from './note-health.ts';
import type { Pass } from './pass.ts';
import type { AlertsPort, CallOptions } from './ports.ts';

export interface Look {
  readonly plan: Plan;
  readonly corrections: readonly Correction[];
  readonly isWriting: boolean;
  /** True once a list that began after the last PATCH was whole. */
  readonly isVerified: boolean;
  /** True when the batch did not take all of the plan: the rest is due at once. */
  readonly isPartial: boolean;
  /** What ended the look after the first whole list. With nothing sent, the plan was not carried out at all. */
  readonly error: OperatorError | undefined;
}

/** One look while it runs. */
interface Attempt {
  readonly pass: Pass;
  readonly gathered: Known;
  readonly client: AlertsPort;
  readonly basis: Basis;
}

/** Rejects with the `OperatorError` of the first list: then nothing is known and nothing was planned. */
export async function look(pass: Pass, gathered: Known): Promise<Look> {
  const { tools, session } = pass;
  const client = session.client(gathered.connection);
  const begunMs = tools.clock.monotonic();
  const first = await client.listAlerts(listedScope(gathered), callOptions(pass));
  noteHealth(pass, gathered, undefined);
  tools.neighbours.note(session, gathered.connection, pass.ref.scope, undefined);
  const attempt = { pass, gathered, client, basis: new Basis(pass, gathered, { list: first, begunMs }) };
  const { actions } = attempt.basis.plan;
  if (actions.length === 0) return seen(attempt, {});
  const batch = batchOf(attempt, actions);
  const applied = await apply(attempt, batch);
  try {
    // A sending that broke off in doubt goes on at the pace of its retries.
    const isWhole = applied.count + applied.outdated === batch.length;
    return await proven(attempt, applied, isWhole && batch.length < actions.length);
  } finally {
    applied.reservation?.release();
  }
}

function seen({ basis }: Attempt, change: Partial<Look>): Look {
  const { plan, corrections } = basis;
  return { plan, corrections, isWriting: false, isVerified: false, isPartial: false, error: undefined, ...change };
}

/** What was sent, after a list that shows what came of it. A list that fails proves nothing: the writes stay open. */
async function proven(attempt: Attempt, applied: Applied, isPartial: boolean): Promise<Look> {
  const { count, error } = applied;
  if (count === 0) return seen(attempt, { error: error ?? outdated('nothing of the batch was sent') });
  const begunMs = attempt.pass.tools.clock.monotonic();
  const list = error && isOfService(error) ? error : await verify(attempt, applied);
  if (list instanceof OperatorError) {
    attempt.basis.renew();
    return seen(attempt, { isWriting: true, error: list });
  }
  attempt.basis.renew({ list, begunMs });
  return seen(attempt, { isWriting: true, isVerified: true, isPartial, error });
}

function batchOf({ pass, gathered, basis }: Attempt, actions: readonly Action[]): Action[] {
  const memory = pass.session.memory(pass.ref.scope);
  const isUrgent = pass.urgency === 'edit' || actions.some(endsDismissal);
  const limit = batchLimit(gathered.connection.spec.limits.burst, basis.pages, isUrgent);
  return nextBatch(actions, { sent: memory.sent, limit, round: memory.batches++ });
}

function apply(attempt: Attempt, actions: readonly Action[]): Promise<Applied> {
  const { pass, gathered, client, basis } = attempt;
  const { tools, session, ref, signal } = pass;
  const { observer, clock, checkMayWrite } = tools;
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
      checkEntered: (action, entered) => basis.checkEntered(action, entered),
      enter: (action) => enter(pass, action),
      confirm: (action) => confirmDeactivation(tools.cluster, gathered, action, signal),
      async freshen(call) {
        if (basis.isFresh || !mayRenew) return;
        mayRenew = false;
        const begunMs = clock.monotonic();
        basis.renew({ list: await client.listAlerts(listedScope(gathered), call), begunMs });
      },
      noteDeactivation: (action) => rememberDeactivation(pass, gathered, action),
      noteSent: (alert, write) => rememberSent(pass, gathered, alert, write),
      noteReached(isReached) {
        session.gate = isReached ? afterAnsweredPatch(session.gate) : afterUnreachedPatch(session.gate, ref.scope);
        return !isInDoubt(session.gate);
      },
    },
    {
      connection: ref.connection,
      scope: listedScope(gathered),
      actions,
      sent: session.memory(ref.scope).sent,
      pages: basis.pages,
      intervalMs: gathered.intervalMs,
    },
    // The end of a dismissal waits for no resync, nor for the rest of a big plan.
    { ...callOptions(pass), ...(actions.some(endsDismissal) && { priority: 'high' }) },
  );
}

async function enter({ session, ref, tools }: Pass, { alert, policyKey }: Action): Promise<Entered> {
  const entry = { scope: ref.scope, alert, policy: policyKey ?? '' };
  const atMs = tools.clock.monotonic();
  return { atMs, undo: await session.recorder.enter(entry) };
}

function callOptions({ urgency, signal, patience }: Pass): CallOptions {
  return { priority: urgency === 'edit' ? 'high' : 'low', signal, patience };
}

/** The list that proves what was sent, or the error it ended with. It waits for nobody and gives way to nobody. */
async function verify({ pass, gathered, client }: Attempt, applied: Applied): Promise<AlertList | OperatorError> {
  try {
    const prepaid = applied.reservation;
    const call: CallOptions = { priority: 'high', signal: pass.signal, ...(prepaid && { prepaid }) };
    return await client.listAlerts(listedScope(gathered), call);
  } catch (error) {
    if (error instanceof OperatorError) return error;
    throw error;
  }
}

/** As one of the policies spells it; the service compares without regard to case. */
function listedScope({ policies, ref }: Known): string {
  return policies.find(({ isOwn }) => isOwn)?.policy.spec.scope ?? ref.scope;
}
