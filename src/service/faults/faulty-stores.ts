// Stores that do not keep to what was asked of them: one forgets updates, one has them undone by a scan. Everything else
// goes to the true store.
import type { Clock, Timer } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { JsonObject } from '../alerts/alert-document.ts';
import type { AlertStore } from '../alerts/alert-store.ts';
import { scannerName } from '../scanner/scan-alert.ts';

/** Says that the flag was changed, and changes nothing. */
export function ignoreUpdates(store: AlertStore): AlertStore {
  return {
    ...store,
    changeActive(change) {
      const isThere = store.readAlert(change.scope, change.alertName) !== undefined;
      return isThere ? 'changed' : store.changeActive(change);
    },
  };
}

export interface ReRaises {
  /** A store in which an alert that is turned off is active again after `afterMs`. */
  over(store: AlertStore, afterMs: number): AlertStore;
  /** What is not raised yet never is. Repetition is harmless. */
  stop(): void;
}

export function delayReactivation(clock: Clock, log: Logger): ReRaises {
  const pending = new Set<Timer>();
  let isStopped = false;
  const later = (afterMs: number, work: () => void) => {
    if (isStopped) return;
    const timer = clock.setTimer(afterMs, () => {
      pending.delete(timer);
      try {
        work();
      } catch (error) {
        log.error({ err: error }, 'alert could not be raised again');
      }
    });
    pending.add(timer);
  };
  return {
    over: (store, afterMs) => ({
      ...store,
      changeActive(change) {
        const outcome = store.changeActive(change);
        const { scope, alertName, isActive } = change;
        if (outcome === 'changed' && !isActive) later(afterMs, () => raise(store, scope, alertName, clock.now()));
        return outcome;
      },
    }),
    stop() {
      isStopped = true;
      for (const timer of pending) timer.cancel();
      pending.clear();
    },
  };
}

/** As a scan does that finds the same incidents again. Nothing happens to an alert that is gone, or active already. */
function raise(store: AlertStore, scope: string, alertName: string, nowMs: number): void {
  const modifier = { by: scannerName, byType: 'Application', atMs: nowMs } as const;
  if (store.changeActive({ scope, alertName, isActive: true, modifier }) !== 'changed') return;
  const incidents = incidentsOf(store.readAlert(scope, alertName));
  if (incidents) store.replaceIncidents(scope, alertName, incidents, nowMs);
}

/** Undefined when there is no list of them: then there is nothing to count again. */
function incidentsOf(alert: string | undefined): readonly unknown[] | undefined {
  const { properties } = JSON.parse(alert ?? '{}') as { readonly properties?: JsonObject };
  const incidents = properties?.['alertIncidents'];
  return Array.isArray(incidents) ? incidents : undefined;
}
