// Simulates changes other than through the API: a scan finds other incidents, an alert appears or disappears, another system
// changes a flag. For the demo and the tests, in the process of the service; no request reaches it.
import { trimEndOf } from '../../lib/clean-text.ts';
import type { Clock } from '../../lib/clock.ts';
import { UsageError } from '../../lib/command-errors.ts';
import { type JsonObject, objectOf } from '../../lib/json-shape.ts';
import { thenOrNow, type MaybePromise } from '../../lib/maybe-promise.ts';
import { nameProblem, scopeProblem } from '../http/resource-path.ts';
import { nameOf, storeAlert, type Modifier } from './alert-document.ts';
import { checkAlert, checkIncidents } from './alert-shape.ts';
import type { AlertStore } from './alert-store.ts';

export interface SimulatedAlerts {
  /** The alert as a list returns it; undefined when it does not exist. */
  readAlert(scope: string, alertName: string): MaybePromise<JsonObject | undefined>;
  /** Adds or replaces an alert of section 2.2, and adds missing members. Throws `UsageError`. */
  putAlert(scope: string, alert: unknown): MaybePromise<void>;
  /** False when the alert does not exist. */
  removeAlert(scope: string, alertName: string): MaybePromise<boolean>;
  /** Like a scan, also sets `incidentCount` and the two times; keeps the flag. False when the alert does not exist. */
  replaceIncidents(scope: string, alertName: string, incidents: readonly unknown[]): MaybePromise<boolean>;
  /** Sets the flag for the actor `who`, who appears in `systemData`. False when the alert does not exist. */
  setActive(scope: string, alertName: string, isActive: boolean, who: Omit<Modifier, 'atMs'>): MaybePromise<boolean>;
}

export function createSimulatedAlerts(store: AlertStore, providerNamespace: string, clock: Clock): SimulatedAlerts {
  return {
    readAlert(scope, alertName) {
      return thenOrNow(store.readAlert(scope, alertName), (text) =>
        text === undefined ? undefined : (JSON.parse(text) as JsonObject),
      );
    },
    putAlert(scope, alert) {
      refuse(scopeProblem(scope), checkAlert(alert, 'alert'));
      const document = objectOf(alert);
      const name = nameOf(document) ?? '';
      refuse(nameProblem(name, 'alert name'), []);
      return store.putAlert(scope, storeAlert(document, name, { scope, providerNamespace, nowMs: clock.now() }));
    },
    removeAlert: (scope, alertName) => store.removeAlert(scope, alertName),
    replaceIncidents(scope, alertName, incidents) {
      refuse(undefined, checkIncidents(incidents, 'incidents'));
      return store.replaceIncidents(scope, alertName, incidents, clock.now());
    },
    setActive(scope, alertName, isActive, who) {
      const modifier = { ...who, atMs: clock.now() };
      const change = { scope, alertName, isActive, modifier };
      return thenOrNow(store.changeActive(change), (outcome) => outcome === 'changed' || outcome === 'unchanged');
    },
  };
}

function refuse(problem: string | undefined, problems: readonly string[]): void {
  const [first] = problem === undefined ? problems : [problem];
  if (first !== undefined) throw new UsageError(`Cannot store the alert: ${trimEndOf(first, '.')}.`);
}
