// What a connection's status counts and says of its rate limit, computed again from the objects and the service: the operator
// keeps these numbers.
import { startOfTimeMs } from '../engine/sim-process.ts';
import { connectionKeyOf, keyAnywhere } from '../kube/connection-keys.ts';
import type { StoredObject } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
import type { World } from '../world.ts';
import { isSuspendedAt, originOf, scopeOf, suspensionEndOf } from './declared.ts';
import { grantedNow } from './granted.ts';
import type { Report } from './oracle.ts';

/** The lists of one scope: how many requests each, and how often. */
interface Lists {
  readonly pages: number;
  readonly everyMs: number;
}

const hourMs = 3_600_000;

/** Call it at rest. Reports every count that differs, and a false word about the rate limit. */
export function checkCounts(world: World, connection: StoredObject, report: Report): void {
  const key = keyAnywhere(connection);
  const { status = {} } = connection;
  const policies = world.api.store.list('rolealertpolicies').filter((policy) => connectionKeyOf(policy) === key);
  const listing = policies.filter((policy) => grantedNow(world, policy, connection) !== undefined);
  const byScope = Map.groupBy(listing, scopeOf);
  if (Number(status['policies'] ?? 0) !== policies.length)
    report(`${key} says it has ${String(status['policies'])} policies, and has ${policies.length}`);
  const namespaces = new Set(policies.map(({ metadata }) => metadata.namespace)).size;
  if (key.startsWith('/') && Number(status['namespaces'] ?? 0) !== namespaces)
    report(`${key} says it has ${String(status['namespaces'])} namespaces, and has ${namespaces}`);
  if (Number(status['scopes'] ?? 0) !== byScope.size)
    report(`${key} says it has ${String(status['scopes'])} scopes, and has ${byScope.size}`);
  // The operator never learns the pages of a scope whose lists fail. Of one that is gone, or that it does not list until a suspension
  // ends, it keeps those of the last list.
  const isOld = [...byScope].some(([scope, own]) => isGone(world, scope) || isResting(own, world));
  if (world.lasting.all.length > 0 || isOld) return;
  const lists = [...byScope].flatMap(([scope, own]) => listsOf(world, connection, { scope, policies: own }));
  const needed = neededPerHour(lists);
  const predicted = Number(status['predictedRequestsPerHour'] ?? 0);
  if (Math.abs(predicted - needed) > 1.5)
    report(`${key} predicts ${predicted} requests per hour, and needs ${needed.toFixed(1)}`);
  checkCapacity(connection, lists, report);
}

function isGone({ services }: World, scope: string): boolean {
  return services.some((service) => service.isGone(scope));
}

/** Every policy is suspended, and one of them counts, because its suspension ends. */
function isResting(policies: readonly StoredObject[], { time }: World): boolean {
  const isCounted = policies.some((policy) => suspensionEndOf(policy) !== undefined);
  return isCounted && policies.every((policy) => isSuspendedAt(policy, startOfTimeMs + time.nowMs));
}

/** The pages of one list, as often as the shortest interval asks for. A suspended policy asks for none, unless its suspension ends. */
function listsOf(
  world: World,
  connection: StoredObject,
  { scope, policies }: { readonly scope: string; readonly policies: readonly StoredObject[] },
): Lists[] {
  const { minInterval } = limitsOf(connection);
  const intervals = policies
    .filter(({ spec = {} }) => spec['suspend'] !== true || spec['suspendUntil'] !== undefined)
    .map(({ spec = {} }) => Math.max(msOf(spec['interval']) ?? world.defaultIntervalMs, msOf(minInterval) ?? 0));
  if (intervals.length === 0) return [];
  const service = world.services.find(({ origin }) => origin === originOf(connection));
  return [{ pages: service?.pagesOf(scope) ?? 1, everyMs: Math.min(...intervals) }];
}

function neededPerHour(lists: readonly Lists[], shortestMs = 0): number {
  return lists.reduce((sum, { pages, everyMs }) => sum + (hourMs / Math.max(everyMs, shortestMs)) * pages, 0);
}

/** Pending before the first attempt. What the message recommends suffices, and little less does not. */
function checkCapacity(connection: StoredObject, lists: readonly Lists[], report: Report): void {
  const conditions = (connection.status?.['conditions'] ?? []) as readonly Json[];
  const capacity = conditions.find(({ type }) => type === 'Capacity');
  const { requestsPerHour: allowed = 0 } = limitsOf(connection) as Readonly<Record<string, number>>;
  const needed = neededPerHour(lists);
  const isTried = Number(connection.status?.['observedGeneration'] ?? -1) >= 0;
  const expected = isTried ? (needed > allowed ? 'False BudgetTooSmall' : 'True BudgetSufficient') : 'Unknown Pending';
  const said = `${String(capacity?.['status'])} ${String(capacity?.['reason'])}`;
  const what = `${keyAnywhere(connection)} needs ${needed.toFixed(1)} of ${allowed} requests per hour and says`;
  if (said !== expected) report(`${what} ${said}`);
  const [, interval] = /limits\.minInterval to (\w+)/.exec(String(capacity?.['message'])) ?? [];
  if (interval === undefined) return;
  const fittingMs = msOf(interval) ?? 0;
  const shorterMs = fittingMs - (fittingMs > 60_000 ? 60_000 : 1000);
  if (neededPerHour(lists, fittingMs) > allowed || neededPerHour(lists, shorterMs) <= allowed)
    report(`${what} that ${interval} fits`);
}

function limitsOf({ spec = {} }: StoredObject): Json {
  return (spec['limits'] ?? {}) as Json;
}

const unitsMs: Readonly<Record<string, number>> = { h: hourMs, m: 60_000, s: 1000 };

/** `1h30m`, `90s`: whole numbers only, which is what the scenarios and the status write. */
function msOf(duration: unknown): number | undefined {
  if (typeof duration !== 'string') return undefined;
  const parts = [...duration.matchAll(/(\d+)([hms])/g)];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitsMs[unit] ?? 0), 0);
}
