// What a whole list, or the answer that there is no such scope, says about the ledger: noted, and announced where an entry ends
// without proof.
import { droppedEvent } from '../plan/events.ts';
import { referenceTo, type RoleAlertConnection } from '../policy/resources.ts';
import type { LedgerNews } from './ledger.ts';
import type { Pass } from './pass.ts';

export function noteLedger({ tools, session, ref }: Pass, connection: RoleAlertConnection, news: LedgerNews): void {
  const regarding = referenceTo(connection);
  for (const entry of session.recorder.note(ref.scope, news)) {
    tools.log.warn({ ...ref, alert: entry.alert }, 'dismissal dropped, its alert is gone');
    tools.events.record({ regarding, ...droppedEvent(entry) });
  }
}

/** Every entry of the scope is missing together with it. */
export function noteScopeGone(pass: Pass, connection: RoleAlertConnection): void {
  const { session, ref } = pass;
  noteLedger(pass, connection, { settled: [], kept: [], missing: session.recorder.entriesOf(ref.scope) });
}
