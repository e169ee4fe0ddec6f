// A failing scope delays no other scope of its connection: while faults last for some scopes and everything else works, every other
// scope is listed at least every few intervals.
import { keyOfCaller } from '../alerts/callers.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import { connectionKeyOf, keyAnywhere } from '../kube/connection-keys.ts';
import type { StoredObject } from '../kube/object.ts';
import { type Json, textOf } from '../kube/spec-rules.ts';
import type { World } from '../world.ts';
import { isSuspendedAt, originOf, scopeOf } from './declared.ts';
import { grantedNow } from './granted.ts';
import type { Report } from './oracle.ts';
import { isRefused, usableConnection } from './usable.ts';

/** Besides its intervals: a pause that the service asked for, a trial of the circuit breaker, the deadlines of others before it. */
const slackMs = 600_000;
const intervals = 4;

/** When each scope was listed as a whole, through which connection. */
export class ListTimes {
  readonly #times = new Map<string, number[]>();

  constructor(world: World) {
    world.onCall(({ kind, status, isLastPage, caller, origin, scope, atMs }) => {
      if (kind !== 'list' || status !== 200 || isLastPage !== true || caller === undefined) return;
      const key = timesKey(keyOfCaller(caller), origin, scope);
      const times = this.#times.get(key) ?? [];
      times.push(atMs);
      this.#times.set(key, times);
    });
  }

  within(fromMs: number, toMs: number, connection: string, origin: string, scope: string): number[] {
    return (this.#times.get(timesKey(connection, origin, scope)) ?? []).filter((ms) => ms >= fromMs && ms <= toMs);
  }
}

function timesKey(connection: string, origin: string, scope: string): string {
  return `${connection} ${origin} ${scope}`.toLowerCase();
}

/** For a time in which nothing was edited and no other fault was injected. */
export function checkLiveness(world: World, times: ListTimes, fromMs: number, report: Report): void {
  const toMs = world.time.nowMs;
  for (const policy of world.api.store.list('rolealertpolicies')) {
    const connection = usableConnection(world, policy);
    const origin = originOf(connection);
    const service = world.services.find((each) => each.origin === origin);
    if (!connection || !origin || !service || !grantedNow(world, policy, connection)) continue;
    if (isSuspendedAt(policy, startOfTimeMs + fromMs) || policy.metadata.deletionTimestamp !== undefined) continue;
    const scope = scopeOf(policy);
    if (!service.alertsOf(scope) || isRefused(world, connection, scope)) continue;
    const listed = times.within(fromMs, toMs, connectionKeyOf(policy), origin, scope);
    const gaps = [...listed, toMs].map((ms, index) => ms - (listed[index - 1] ?? fromMs));
    const longestMs = Math.max(...gaps);
    if (longestMs <= longestGapMs(policy)) continue;
    report(`${scope} of ${keyAnywhere(connection)} was not listed for ${Math.round(longestMs / 1000)} s`);
  }
}

/** The longest time between two lists of the policy's scope while everything works. */
export function longestGapMs(policy: StoredObject): number {
  return intervals * intervalOf(policy) + slackMs;
}

/** As its status says after every clamp. */
export function intervalOf({ status = {} }: { status?: Json | undefined }): number {
  const text = textOf(((status['effective'] ?? {}) as Json)['interval']);
  const parts = [...text.matchAll(/(\d+)(h|m|s)/g)];
  const units: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1000 };
  return parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (units[unit] ?? 0), 0) || 900_000;
}
