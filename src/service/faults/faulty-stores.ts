// Faulty stores: one ignores updates, one undoes them by a scan. They delegate everything else to the real store.
import type { Clock, Timer } from '../../lib/clock.ts';
import type { JsonObject } from '../../lib/json-shape.ts';
import type { Logger } from '../../lib/log.ts';
import { thenOrNow } from '../../lib/maybe-promise.ts';
import type { AlertStore } from '../alerts/alert-store.ts';
import { scannerName } from '../scanner.ts';

/** Reports a changed flag without changing it. */
export function ignoreUpdates(store: AlertStore): AlertStore {
  return {
    ...store,
    changeActive: (change) =>
      thenOrNow(store.readAlert(change.scope, change.alertName), (alert) =>
        alert === undefined ? store.changeActive(change) : 'changed',
      ),
  };
}

export interface ReRaises {
  /** A store that activates a deactivated alert again after `afterMs`. */
  over(store: AlertStore, afterMs: number): AlertStore;
  /** Drops the pending activations. Idempotent. */
  stop(): void;
}

export function delayReactivation(clock: Clock, log: Logger): ReRaises {
  const pending = new Set<Timer>();
  let isStopped = false;
  const later = (afterMs: number, work: () => Promise<void>) => {
    if (isStopped) return;
    const timer = clock.setTimer(afterMs, () => {
      pending.delete(timer);
      work().catch((error: unknown) => {
        if (!isStopped) log.error({ err: error }, 'alert not activated again');
      });
    });
    pending.add(timer);
  };
  return {
    over: (store, afterMs) => ({
      ...store,
      changeActive: (change) =>
        thenOrNow(store.changeActive(change), (outcome) => {
          const { scope, alertName, isActive } = change;
          if (outcome === 'changed' && !isActive) later(afterMs, () => raise(store, scope, alertName, clock.now()));
          return outcome;
        }),
    }),
    stop() {
      isStopped = true;
      for (const timer of pending) timer.cancel();
      pending.clear();
    },
  };
}

/** Simulates a scan that finds the same incidents again. Does nothing if the alert does not exist or is already active. */
async function raise(store: AlertStore, scope: string, alertName: string, nowMs: number): Promise<void> {
  const modifier = { by: scannerName, byType: 'Application', atMs: nowMs } as const;
  const cause = { action: 'fault', actorType: 'fault', actor: 'reRaise' } as const;
  await store.transaction(async (tx) => {
    if ((await tx.changeActive({ scope, alertName, isActive: true, modifier, cause })) !== 'changed') return;
    const incidents = incidentsOf(await tx.readAlert(scope, alertName));
    if (incidents) await tx.replaceIncidents(scope, alertName, incidents, nowMs);
  });
}

/** Undefined when the alert has no list of incidents. */
function incidentsOf(alert: string | undefined): readonly unknown[] | undefined {
  const { properties } = JSON.parse(alert ?? '{}') as { readonly properties?: JsonObject };
  const incidents = properties?.['alertIncidents'];
  return Array.isArray(incidents) ? incidents : undefined;
}
