// No deactivation outside the correction windows in the tick of its send: some declaration that the process may take for true is open
// then, and so is its connection.
import { isOpenAt, type Window } from '../../support/checks/correction-windows.ts';
import { keyOfCaller } from '../alerts/callers.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import { connectionKeyOf, connectionPlurals } from '../kube/connection-keys.ts';
import type { StoredObject } from '../kube/object.ts';
import type { Sending } from '../sending.ts';
import type { World } from '../world.ts';
import { lineOf, scopeOf } from './declared.ts';
import { SpecHistory } from './history.ts';
import type { Oracle } from './oracle.ts';

export const windowsOracle: Oracle = {
  name: 'no deactivation outside the correction windows',
  watch(world, report) {
    const policies = new SpecHistory(world, 'rolealertpolicies');
    const connections = new SpecHistory(world, ...connectionPlurals);
    world.judges.push((sending) => {
      if (sending.isActive !== false || sending.caller === undefined || world.hasWrongClocks) return undefined;
      const key = keyOfCaller(sending.caller);
      if (mayBeOpen(world, { policies, connections }, sending, key)) return undefined;
      const { process, alert, scope } = sending;
      return () => report(`${process} deactivated ${alert} of ${scope} through ${key} while windows are closed`);
    });
  },
};

interface Histories {
  readonly policies: SpecHistory;
  readonly connections: SpecHistory;
}

function mayBeOpen(world: World, { policies, connections }: Histories, sending: Sending, connection: string): boolean {
  const { process, atMs } = sending;
  const nowMs = startOfTimeMs + atMs;
  const { knowledge } = world;
  const isOpen = (object: StoredObject) => isOpenAt(windowsOf(object), nowMs);
  const dismissing = policies
    .keys()
    .flatMap((key) => policies.believable(key, knowledge.of(process, 'rolealertpolicies', key), atMs))
    .filter((policy) => connectionKeyOf(policy) === connection && isAbout(policy, sending));
  // Without a declaration there are no windows; another oracle reports that (bounds.ts).
  if (dismissing.length === 0) return true;
  const through = connections.believable(connection, knowledge.ofConnection(process, connection), atMs);
  return dismissing.some(isOpen) && through.some(isOpen);
}

function isAbout(policy: StoredObject, { scope, alert }: Sending): boolean {
  return scopeOf(policy) === scope.toLowerCase() && lineOf(policy, alert)?.['state'] === 'Inactive';
}

export function windowsOf({ spec = {} }: StoredObject): readonly Window[] {
  return (spec['correctionWindows'] ?? []) as readonly Window[];
}
