// The ledger never loses an alert that is inactive because of us: recorded before the PATCH is sent, and for as long as the alert is.
// The connection stays until no alert is inactive because of it.
import { keyOfCaller } from '../alerts/callers.ts';
import type { DismissedAlert } from '../dismissed-alerts.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import { connectionAt, connectionPlurals, keyAnywhere } from '../kube/connection-keys.ts';
import type { StoredObject } from '../kube/object.ts';
import type { World } from '../world.ts';
import type { Oracle } from './oracle.ts';

/** From the time that an entry says to the send of its deactivation: a minute and a half, and no fractions of a second. */
const oldestEntryMs = 95_000;

export const ledgerOracle: Oracle = {
  name: 'the ledger never loses an alert that is inactive because of us',
  watch(world, report) {
    world.judges.push(({ process, isActive, caller, scope, alert, atMs }) => {
      if (isActive !== false || caller === undefined) return undefined;
      const connection = connectionAt(world.api.store, keyOfCaller(caller));
      if (!connection) return undefined;
      const entry = entryOf(connection, scope, alert);
      const what = `${process} deactivated ${alert} of ${scope}`;
      if (!entry) return () => report(`${what}, which is not in the ledger of ${keyAnywhere(connection)}`);
      if (!(connection.metadata.finalizers ?? []).includes('rolealerts.dev/dismissals'))
        return () => report(`${what}, and ${keyAnywhere(connection)} has no finalizer`);
      const ageMs = startOfTimeMs + atMs - Date.parse(entry.since);
      if (ageMs <= oldestEntryMs || world.hasWrongClocks) return undefined;
      return () => report(`${what}, and its entry says since ${entry.since}`);
    });
    world.api.store.onChange(({ plural, type, object, previous }) => {
      if (!connectionPlurals.includes(plural)) return;
      if (type === 'DELETED') {
        const left = [...world.dismissed.values()].find((off) => isLeft(world, off, object));
        if (left) report(`${keyAnywhere(object)} is gone, and ${left.alert} of ${left.scope} inactive because of it`);
        return;
      }
      if (object.status === previous?.status) return;
      const lost = [...world.dismissed.values()].find((off) => isLost(world, off, object));
      if (lost) report(`${keyAnywhere(object)} forgot ${lost.alert} of ${lost.scope}, which is inactive because of it`);
    });
  },
};

function isLost(
  world: World,
  { origin, scope, alert, connection, connectionUid }: DismissedAlert,
  object: StoredObject,
): boolean {
  if (connection !== keyAnywhere(object) || connectionUid !== object.metadata.uid) return false;
  if (mayBeAbandoned(world, object)) return false;
  const service = world.services.find((each) => each.origin === origin);
  return service?.find(scope, alert)?.isActive === false && !hasEntry(object, scope, alert);
}

/** The deletion of a namespace waits 45 seconds, which its timestamp rounds; after those what is left is abandoned. */
const longestWaitMs = 44_000;

/** True for an alert that is still inactive, unless the namespace had to go. */
function isLeft(world: World, { origin, scope, alert, connectionUid }: DismissedAlert, gone: StoredObject): boolean {
  if (connectionUid !== gone.metadata.uid || mayBeAbandoned(world, gone)) return false;
  const service = world.services.find((each) => each.origin === origin);
  return service?.find(scope, alert)?.isActive === false;
}

function mayBeAbandoned(world: World, { metadata }: StoredObject): boolean {
  const namespace = world.api.store.get('namespaces', metadata.namespace ?? '');
  return startOfTimeMs + world.time.nowMs - Date.parse(namespace?.metadata.deletionTimestamp ?? '') >= longestWaitMs;
}

export interface Entry {
  readonly scope: string;
  readonly alert: string;
  readonly policy: string;
  readonly since: string;
  readonly until?: string;
  readonly incidents?: number;
  readonly maxIncidents?: number;
  readonly reason?: string;
}

export function entriesOf({ status = {} }: StoredObject): readonly Entry[] {
  return (status['dismissals'] ?? []) as readonly Entry[];
}

function hasEntry(connection: StoredObject, scope: string, alert: string): boolean {
  return entryOf(connection, scope, alert) !== undefined;
}

function entryOf(connection: StoredObject, scope: string, alert: string): Entry | undefined {
  const wanted = `${scope} ${alert}`.toLowerCase();
  return entriesOf(connection).find((entry) => `${entry.scope} ${entry.alert}`.toLowerCase() === wanted);
}
