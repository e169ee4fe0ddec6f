// What a connection's status counts, computed again from the objects and the service: the operator keeps these numbers.
import { keyOf, type StoredObject } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
import type { World } from '../world.ts';
import { connectionKeyOf, originOf, scopeOf } from './declared.ts';
import type { Report } from './oracle.ts';

/** Call it at rest. Reports every count that differs. */
export function checkCounts(world: World, connection: StoredObject, report: Report): void {
  const key = keyOf(connection);
  const { status = {} } = connection;
  const policies = world.api.store.list('rolealertpolicies').filter((policy) => connectionKeyOf(policy) === key);
  const byScope = Map.groupBy(policies, scopeOf);
  if (Number(status['policies'] ?? 0) !== policies.length)
    report(`${key} says it has ${String(status['policies'])} policies, and has ${policies.length}`);
  if (Number(status['scopes'] ?? 0) !== byScope.size)
    report(`${key} says it has ${String(status['scopes'])} scopes, and has ${byScope.size}`);
  // The operator never learns the pages of a scope whose lists fail.
  if (world.lasting.all.length > 0) return;
  const needed = [...byScope].reduce(
    (sum, [scope, own]) => sum + requestsPerHour(world, connection, { scope, policies: own }),
    0,
  );
  const predicted = Number(status['predictedRequestsPerHour'] ?? 0);
  if (Math.abs(predicted - needed) > 1.5)
    report(`${key} predicts ${predicted} requests per hour, and needs ${needed.toFixed(1)}`);
}

/** The pages of one list, as often as the shortest interval asks for. A suspended policy asks for none, unless its suspension ends. */
function requestsPerHour(
  world: World,
  connection: StoredObject,
  { scope, policies }: { readonly scope: string; readonly policies: readonly StoredObject[] },
): number {
  const { minInterval } = (connection.spec?.['limits'] ?? {}) as Json;
  const intervals = policies
    .filter(({ spec = {} }) => spec['suspend'] !== true || spec['suspendUntil'] !== undefined)
    .map(({ spec = {} }) => Math.max(msOf(spec['interval']) ?? world.defaultIntervalMs, msOf(minInterval) ?? 0));
  if (intervals.length === 0) return 0;
  const service = world.services.find(({ origin }) => origin === originOf(connection));
  return (3_600_000 / Math.min(...intervals)) * (service?.pagesOf(scope) ?? 1);
}

const unitsMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000 };

/** `1h30m`, `90s`: whole numbers only, which is what the scenarios write. */
function msOf(duration: unknown): number | undefined {
  if (typeof duration !== 'string') return undefined;
  const parts = [...duration.matchAll(/(\d+)([hms])/g)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitsMs[unit] ?? 0), 0);
}
