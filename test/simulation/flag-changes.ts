// When the flag of each alert last changed, through the operator or another client: the world's own memory.
import { alertKey } from './dismissed-alerts.ts';
import type { World } from './world.ts';

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
