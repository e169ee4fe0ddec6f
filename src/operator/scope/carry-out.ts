// Applies a conclusion, except for the statuses: the state of the scope, the ledger, the health of the connection and
// the log. All of it happens synchronously.
import { referenceTo, type AnyConnection } from '../../policy/resources.ts';
import type { Conclusion } from '../decide/conclusion.ts';
import type { Correction } from '../decide/memory.ts';
import type { LedgerNews } from '../dismissals/ledger.ts';
import { correctionEvents, droppedEvents } from '../report/correction-events.ts';
import { scopeFields } from '../report/log-fields.ts';
import { recordHealth } from './connection-health.ts';
import type { ReconcileContext } from './context.ts';
import type { Gathered } from './gather.ts';

export function carryOut(context: ReconcileContext, gathered: Gathered, conclusion: Conclusion): void {
  const { deps, runtime, ref } = context;
  const { use, counts, ledger, corrections, log } = conclusion;
  if (use === 'Forgotten') {
    runtime.forget(ref.scope);
    return;
  }
  runtime.step(ref.scope, { kind: 'Ended', counts });
  const { connection } = gathered;
  if (connection && ledger) updateLedger(context, connection, ledger);
  if (connection) emitUndeclaredCorrections(context, connection, corrections);
  if (connection && conclusion.connection) recordHealth(context, connection, 'Ended', conclusion.connection.error);
  if (log) deps.log[log.level]({ ...scopeFields(ref), ...log.fields }, log.message);
  if (connection && conclusion.isScopeMissing) markScopeMissing(context, connection);
  if (use === 'Resting') runtime.stopListing(ref.scope);
}

/** Emits an event for the entries that end without proof. */
function updateLedger({ deps, runtime, ref }: ReconcileContext, connection: AnyConnection, news: LedgerNews): void {
  const regarding = referenceTo(connection);
  const dropped = runtime.statusWriter.updateLedger(ref.scope, news);
  for (const event of droppedEvents(dropped)) deps.events.record({ regarding, ...event });
}

/** Notes every entry of the scope as missing. */
function markScopeMissing(context: ReconcileContext, connection: AnyConnection): void {
  const { runtime, ref } = context;
  updateLedger(context, connection, {
    resolvedDismissals: [],
    missing: runtime.statusWriter.ledger.recordsOf(ref.scope),
    declared: new Map(),
  });
}

/** Emits the events of corrections without a policy for the connection, because no status of a policy can show them. */
function emitUndeclaredCorrections(
  { deps, ref }: ReconcileContext,
  connection: AnyConnection,
  corrections: readonly Correction[],
): void {
  const regarding = referenceTo(connection);
  const undeclared = corrections.filter(({ policyKey }) => policyKey === undefined);
  for (const event of correctionEvents(undeclared, ref.scope)) deps.events.record({ regarding, ...event });
}
