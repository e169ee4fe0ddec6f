// Leaves the alerts of a deleted connection inactive, as its annotation asks: an event and the log name them, and the statuses of its
// policies no longer mark them, so that no later connection takes them over.
import { abandonedEvents } from '../plan/events.ts';
import { type AnyConnection, referenceTo } from '../policy/resources.ts';
import type { ConnectionRuntime } from './connection-runtime.ts';
import type { ReconcileDeps } from './context.ts';
import { connectionFields } from './log-fields.ts';
import type { StopSignals } from './reactivation.ts';
import { recordReleased } from './record-released.ts';

export async function abandonDismissals(
  deps: ReconcileDeps,
  { key, statusWriter }: ConnectionRuntime,
  connection: AnyConnection,
  { cut }: StopSignals,
): Promise<void> {
  const entries = statusWriter.entries();
  const alerts = entries.map(({ scope, alert }) => ({ scope, alert }));
  deps.log.warn({ ...connectionFields(key), alerts }, 'alerts left inactive, their connection was deleted');
  const regarding = referenceTo(connection);
  for (const event of abandonedEvents(entries)) deps.events.record({ regarding, ...event });
  for (const [scope, ended] of Map.groupBy(entries, (entry) => entry.scope)) {
    const names = ended.map(({ alert }) => alert);
    await recordReleased(deps, { connection: key, scope }, names, cut);
  }
}
