// What the end of a reconcile changes besides the statuses: the state of the scope, the ledger, the health of the connection, the log,
// and who reconciles the scope next. All of it happens before the first await after the conclusion.
import type { OperatorError } from '../lib/errors.ts';
import type { Conclusion } from '../plan/conclude.ts';
import type { Correction } from '../plan/corrections.ts';
import { correctionEvent, droppedEvent } from '../plan/events.ts';
import { failureOf } from '../plan/failures.ts';
import type { LedgerNews } from '../plan/types.ts';
import { referenceTo, type RoleAlertConnection } from '../policy/resources.ts';
import { isUndecided } from './gate.ts';
import type { Gathered } from './gather.ts';
import type { ReconcileContext } from './reconcile.ts';

export function carryOut(context: ReconcileContext, gathered: Gathered, conclusion: Conclusion): void {
  const { tools, session, ref } = context;
  const { use, counts, log } = conclusion;
  if (use === 'Forgotten') {
    session.forget(ref.scope);
    return;
  }
  session.step(ref.scope, { kind: 'Ended', counts });
  const { connection, intervalMs } = gathered;
  if (connection) noteSeen(context, connection, conclusion);
  if (connection && conclusion.connection) noteHealth(context, { connection, intervalMs }, conclusion.connection.error);
  if (log) tools.log[log.level]({ ...ref, ...log.fields }, log.message);
  if (connection && conclusion.isScopeMissing) noteScopeMissing(context, connection);
  if (use === 'Resting') session.rest(ref.scope);
  if (use === 'Waiting') session.roster.wait(ref.scope, tools.clock.monotonic());
  if (use === 'Served') session.roster.completed(ref.scope);
}

/**
 * What an attempt found about its connection, attributed to the spec that it used: an answer to an older spec, that comes after one to
 * the present spec, says nothing any more. `error` is undefined after a whole list.
 */
export function noteHealth(
  { tools, session, ref }: ReconcileContext,
  { connection, intervalMs }: { readonly connection: RoleAlertConnection; readonly intervalMs: number },
  error: OperatorError | undefined,
): void {
  // What a whole list proves is noted where the list ends.
  if (error) tools.neighbours.note(session, connection, ref.scope, error);
  if (!session.isLatestSpec(connection)) return;
  const failure = error && failureOf(error);
  tools.noteHealth(session, ref.scope, { failure, intervalMs, retryAfterMs: error?.retryAfterMs });
  if (!isUndecided(session.gate)) session.noteTried(connection.metadata.generation);
}

function noteSeen(context: ReconcileContext, connection: RoleAlertConnection, conclusion: Conclusion): void {
  const { ledger, corrections } = conclusion;
  if (ledger) noteLedger(context, connection, ledger);
  announceUndeclared(context, connection, corrections);
  if (corrections.length > 0) context.tools.neighbours.wakeOthers(context.ref);
}

/** An entry that ends without proof has an event. */
function noteLedger(
  { tools, session, ref }: ReconcileContext,
  connection: RoleAlertConnection,
  news: LedgerNews,
): void {
  const regarding = referenceTo(connection);
  for (const entry of session.recorder.note(ref.scope, news)) {
    tools.log.warn({ ...ref, alert: entry.alert }, 'dismissal dropped, its alert is gone');
    tools.events.record({ regarding, ...droppedEvent(entry) });
  }
}

/** Every entry of the scope is missing together with it. */
function noteScopeMissing(context: ReconcileContext, connection: RoleAlertConnection): void {
  const { session, ref } = context;
  noteLedger(context, connection, { settled: [], kept: [], missing: session.recorder.entriesOf(ref.scope) });
}

/** The correction of a dismissal that no policy declares any more has no policy to show it; its connection has the event. */
function announceUndeclared(
  { tools }: ReconcileContext,
  connection: RoleAlertConnection,
  corrections: readonly Correction[],
): void {
  const regarding = referenceTo(connection);
  for (const correction of corrections) {
    if (correction.policyKey === undefined) tools.events.record({ regarding, ...correctionEvent(correction) });
  }
}
