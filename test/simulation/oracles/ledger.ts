// The ledger never loses an alert that is inactive because of us: recorded before the PATCH is sent, and for as long as the alert is.
// The status of a policy has a copy, which outlives the connection.
import { keyOfCaller } from '../alerts/callers.ts';
import type { DismissedAlert } from '../dismissed-alerts.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import { connectionAt, connectionPlurals, keyAnywhere } from '../kube/connection-keys.ts';
import type { StoredObject } from '../kube/object.ts';
import { keyOf } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
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
      const policy = world.api.store.get('rolealertpolicies', entry.policy);
      if (policy && !isMarked(policy, alert) && isKnown(world, process, policy))
        return () => report(`${what}, and the status of ${entry.policy} does not show it`);
      const ageMs = startOfTimeMs + atMs - Date.parse(entry.since);
      if (ageMs <= oldestEntryMs || world.hasWrongClocks) return undefined;
      return () => report(`${what}, and its entry says since ${entry.since}`);
    });
    world.api.store.onChange(({ plural, type, object, previous }) => {
      if (!connectionPlurals.includes(plural) || type === 'DELETED' || object.status === previous?.status) return;
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
  const service = world.services.find((each) => each.origin === origin);
  return service?.find(scope, alert)?.isActive === false && !hasEntry(object, scope, alert);
}

/** False when another writer has just made this version, and only an earlier one has reached the process. */
function isKnown(world: World, process: string, policy: StoredObject): boolean {
  const known = world.knowledge.of(process, 'rolealertpolicies', keyOf(policy));
  return known === undefined || known.version >= Number(policy.metadata.resourceVersion);
}

function isMarked({ status = {} }: StoredObject, alert: string): boolean {
  const rows = (status['alerts'] ?? []) as readonly Json[];
  const row = rows.find(({ name }) => String(name).toLowerCase() === alert.toLowerCase());
  return row?.['dismissedAt'] !== undefined && status['dismissalEndpoint'] !== undefined;
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
