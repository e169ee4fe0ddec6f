// The world's own memory, kept from the requests that the services saw: the alerts that the operator deactivated, and through which
// connection; and when the flag of each alert last changed, through the operator or another client.
import { keyOfCaller } from './alerts/callers.ts';
import { connectionPlurals, keyAnywhere } from './kube/connection-keys.ts';
import type { World } from './world.ts';

export interface DismissedAlert {
  readonly origin: string;
  readonly scope: string;
  readonly alert: string;
  /** Its key; see kube/connection-keys.ts. */
  readonly connection: string;
  readonly connectionUid: string | undefined;
  /** When the service did it. */
  readonly atMs: number;
}

/** One alert of one service, however it is spelled. */
export function alertKey(origin: string, scope: string, alert: string): string {
  return `${origin} ${scope} ${alert}`.toLowerCase();
}

export function rememberDismissed(world: World): Map<string, DismissedAlert> {
  const dismissed = new Map<string, DismissedAlert>();
  const lastUids = new Map<string, string>();
  world.api.store.onChange(({ plural, object }) => {
    if (connectionPlurals.includes(plural)) lastUids.set(keyAnywhere(object), object.metadata.uid);
  });
  world.onCall(({ kind, origin, caller, scope, alert, isActive, status, wasActive, atMs }) => {
    if (kind !== 'patch' || caller === undefined || status !== 204) return;
    const key = alertKey(origin, scope, alert);
    if (isActive === true) dismissed.delete(key);
    else if (wasActive === true) {
      const connection = keyOfCaller(caller);
      // A PATCH may come in after its connection was deleted.
      dismissed.set(key, { origin, scope, alert, connection, connectionUid: lastUids.get(connection), atMs });
    }
  });
  for (const service of world.services) {
    service.onTurned.push((scope, alert) => dismissed.delete(alertKey(service.origin, scope, alert)));
  }
  return dismissed;
}

/** By `alertKey`; virtual milliseconds. */
export function rememberFlagChanges(world: World): ReadonlyMap<string, number> {
  const changes = new Map<string, number>();
  world.onCall(({ kind, origin, scope, alert, isActive, status, wasActive, atMs }) => {
    if (kind === 'patch' && status === 204 && wasActive !== isActive) changes.set(alertKey(origin, scope, alert), atMs);
  });
  for (const service of world.services)
    service.onTurned.push((scope, alert) => changes.set(alertKey(service.origin, scope, alert), world.time.nowMs));
  return changes;
}
