// Which alerts are off because the operator turned them off, and through which connection: the world's own memory, kept from the
// requests that the service saw.
import type { World } from './world.ts';

export interface TurnedOff {
  /** `namespace/name`. */
  readonly connection: string;
  readonly connectionUid: string | undefined;
}

export function rememberTurnedOff(world: World): Map<string, TurnedOff> {
  const turnedOff = new Map<string, TurnedOff>();
  world.service.onCall.push(({ kind, caller, scope, alert, isActive, status, wasActive }) => {
    if (kind !== 'patch' || caller === undefined || status !== 204) return;
    const key = `${scope} ${alert}`.toLowerCase();
    if (isActive === true) turnedOff.delete(key);
    else if (wasActive === true) {
      const connection = caller.replace(/^(token|client)-(team(?:-[ab])?)-/, '$2/');
      const object = world.api.store.get('rolealertconnections', connection);
      turnedOff.set(key, { connection, connectionUid: object?.metadata.uid });
    }
  });
  world.service.onTurned.push((scope, alert) => turnedOff.delete(`${scope} ${alert}`.toLowerCase()));
  return turnedOff;
}
