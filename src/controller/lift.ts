// The last thing that is done for a connection whose object was deleted: what it turned off is turned on again, once and
// within a bound, while its client is still open. Its ledger went with the object, so nobody could do it later.
import { sameName } from '../alerts/resource-id.ts';
import type { Clock } from '../lib/clock.ts';
import { messageOf } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import type { AlertsPort, CallOptions, Observer } from './ports.ts';

export interface LiftTools {
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer: Observer;
  /** Throws unless this process may write now. */
  readonly checkMayWrite: () => void;
}

const liftWithinMs = 10_000;

/** Never rejects. What cannot be reached in time is logged by name. */
export async function liftDismissals(
  tools: LiftTools,
  connection: string,
  client: AlertsPort,
  ledger: readonly DismissalRecord[],
): Promise<void> {
  const deadline = new AbortController();
  const timer = tools.clock.setTimer(liftWithinMs, () => deadline.abort());
  const call: CallOptions = { priority: 'high', signal: deadline.signal };
  for (const entry of ledger) {
    const facts = { connection, scope: entry.scope, alert: entry.alert };
    try {
      const isSent = await liftOne(tools, client, entry, call);
      if (isSent) tools.observer.actionEnded(connection, 'activate', 'sent');
      tools.log.info(facts, 'dismissal lifted, its connection was deleted');
    } catch (error) {
      tools.observer.actionEnded(connection, 'activate', 'failed');
      tools.log.error({ ...facts, error: messageOf(error) }, 'dismissal not lifted, its connection was deleted');
    }
  }
  timer.cancel();
}

/** Only what a whole list shows, and shows off. */
async function liftOne(
  tools: LiftTools,
  client: AlertsPort,
  { scope, alert }: DismissalRecord,
  call: CallOptions,
): Promise<boolean> {
  const { alerts } = await client.listAlerts(scope, call);
  const live = alerts.find(({ name }) => sameName(name, alert));
  if (!live || live.isActive) return false;
  await client.patchAlert(scope, live.name, true, { ...call, beforeSend: tools.checkMayWrite });
  return true;
}
