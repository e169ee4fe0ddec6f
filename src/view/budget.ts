// What the policies of each connection need of its rate limit, now and after a change, and where the limit ends. The arithmetic is
// that of the condition Capacity.
import { byText } from '../lib/by-text.ts';
import { parseDuration } from '../lib/duration.ts';
import {
  firstRoundMs,
  fittingIntervalMs,
  furtherScopes,
  type Load,
  predictedRequestsPerHour,
  requestsOfRound,
} from '../plan/capacity.ts';
import { conditionOf } from '../plan/conditions.ts';
import { connectionName } from '../plan/message-facts.ts';
import { scopeLoad } from '../plan/scope-load.ts';
import { connectionKeyOf, isClusterConnectionKey } from '../policy/connection-key.ts';
import type { ConnectionLimits } from '../policy/generated/role-alert-connection.ts';
import type { AnyConnection, RoleAlertPolicy } from '../policy/resources.ts';
import { namespacedName, scopeRefOf } from '../policy/scope-ref.ts';

export interface BudgetInput {
  readonly policies: readonly RoleAlertPolicy[];
  readonly connections: readonly AnyConnection[];
  /** The operator's `--interval`; milliseconds. */
  readonly defaultMs: number;
  /** Requests of one list. */
  readonly pages: number;
  /** Absent: no change is asked about. */
  readonly change?: BudgetChange | undefined;
}

/** What would be different. An absent member stays as it is now. */
export interface BudgetChange {
  readonly intervalMs?: number | undefined;
  readonly scopes?: number | undefined;
}

export interface ConnectionBudget {
  /** The key of the connection (policy/connection-key.ts). */
  readonly connection: string;
  readonly limits: ConnectionLimits;
  readonly now: BudgetNeed;
  /** After the change. */
  readonly changed?: BudgetNeed;
  /** The requests per hour that the operator reports, if they differ. */
  readonly reported?: number;
}

/** What a number of scopes needs. */
export interface BudgetNeed {
  readonly scopes: number;
  /** Each interval, and the requests that list its scopes once; the shortest first. */
  readonly loads: readonly Load[];
  /** Rounded up. */
  readonly requestsPerHour: number;
  readonly isSufficient: boolean;
  /** A start of the operator lists every scope once: its requests, and how long the rate limit spreads them. */
  readonly restart: { readonly requests: number; readonly durationMs: number };
  /** How many more scopes fit, at the interval that most scopes have. */
  readonly room: { readonly scopes: number; readonly intervalMs: number };
  /** The shortest interval that the limit allows for these scopes, in milliseconds; undefined if 24 hours do not suffice. */
  readonly shortestMs: number | undefined;
}

export function budgetsOf(input: BudgetInput): readonly ConnectionBudget[] {
  const byConnection = Map.groupBy(input.policies, (policy) => scopeRefOf(policy).connection);
  return input.connections
    .map((connection) => budgetOf(connection, byConnection.get(namespacedName(connection)) ?? [], input))
    .sort((a, b) => byText(a.connection, b.connection));
}

/** Whether every limit suffices; after the change, if there is one. */
export function isWithinBudget(budgets: readonly ConnectionBudget[]): boolean {
  return budgets.every(({ now, changed = now }) => changed.isSufficient);
}

/** What the budgets leave out, as sentences. `isWhole`: false when policies of other namespaces were not read. */
export function budgetNotes({
  policies,
  connections,
  isWhole,
}: Pick<BudgetInput, 'policies' | 'connections'> & { readonly isWhole: boolean }): readonly string[] {
  const keys = connections.map(namespacedName);
  const known = new Set(keys);
  const unknown = new Set(policies.map(connectionKeyOf).filter((key) => !known.has(key)));
  const shared = isWhole ? [] : keys.filter(isClusterConnectionKey);
  return [
    ...[...unknown].map((key) => `${connectionName('Connection', key)} was not read, so its policies are not counted.`),
    ...shared.map(
      (key) =>
        `${connectionName('Connection', key)} may have policies in other namespaces, which are not counted: use --all-namespaces.`,
    ),
  ];
}

function budgetOf(
  connection: AnyConnection,
  policies: readonly RoleAlertPolicy[],
  input: BudgetInput,
): ConnectionBudget {
  const { limits } = connection.spec;
  const ofScopes = scopeLoads(connection, policies, input);
  const changed = input.change && changedLoads(ofScopes, connection, input, input.change);
  const need = (loads: readonly Load[]) => needOf(loads, connection, input);
  const now = need(ofScopes);
  const reported = connection.status?.predictedRequestsPerHour;
  return {
    connection: namespacedName(connection),
    limits,
    now,
    ...(changed && { changed: need(changed) }),
    ...(reported !== undefined && reported !== now.requestsPerHour && { reported }),
  };
}

/** One for each scope that is listed. */
function scopeLoads(
  connection: AnyConnection,
  policies: readonly RoleAlertPolicy[],
  input: BudgetInput,
): readonly Load[] {
  // A policy without access to its scope sends no request for it.
  const listing = policies.filter(({ status }) => conditionOf(status, 'Stalled')?.reason !== 'AccessDenied');
  const byScope = Map.groupBy(listing, (policy) => scopeRefOf(policy).scope);
  return [...byScope.values()].flatMap((ofScope) => scopeLoad(ofScope, connection, input) ?? []);
}

function changedLoads(
  loads: readonly Load[],
  connection: AnyConnection,
  input: BudgetInput,
  { intervalMs, scopes }: BudgetChange,
): readonly Load[] {
  const asked = intervalMs === undefined ? undefined : raised(intervalMs, connection);
  if (scopes === undefined) return loads.map((load) => ({ ...load, intervalMs: asked ?? load.intervalMs }));
  const each = { intervalMs: asked ?? usualMs(loads, connection, input), requests: input.pages };
  return Array.from({ length: scopes }, () => each);
}

/** The interval of most scopes, the shortest of several; the operator's without scopes. */
function usualMs(loads: readonly Load[], connection: AnyConnection, { defaultMs }: BudgetInput): number {
  const counts = [...Map.groupBy(loads, ({ intervalMs }) => intervalMs)].map(
    ([intervalMs, { length }]) => [intervalMs, length] as const,
  );
  const [most] = counts.sort(([a, countA], [b, countB]) => countB - countA || a - b);
  return most?.[0] ?? raised(defaultMs, connection);
}

function raised(intervalMs: number, { spec }: AnyConnection): number {
  return Math.max(intervalMs, parseDuration(spec.limits.minInterval) ?? intervalMs);
}

function needOf(ofScopes: readonly Load[], connection: AnyConnection, input: BudgetInput): BudgetNeed {
  const { limits } = connection.spec;
  const loads = byInterval(ofScopes);
  const needed = predictedRequestsPerHour(loads);
  const requests = requestsOfRound(loads);
  const intervalMs = usualMs(ofScopes, connection, input);
  return {
    scopes: ofScopes.length,
    loads,
    requestsPerHour: needed,
    isSufficient: needed <= limits.requestsPerHour,
    restart: { requests, durationMs: firstRoundMs(requests, limits) },
    room: { scopes: furtherScopes(loads, { intervalMs, requests: input.pages }, limits.requestsPerHour), intervalMs },
    shortestMs: shortestMs(loads, connection),
  };
}

function byInterval(loads: readonly Load[]): readonly Load[] {
  return [...Map.groupBy(loads, ({ intervalMs }) => intervalMs)]
    .map(([intervalMs, same]) => ({ intervalMs, requests: requestsOfRound(same) }))
    .sort((a, b) => a.intervalMs - b.intervalMs);
}

/** For all scopes alike, and at least `limits.minInterval`. */
function shortestMs(loads: readonly Load[], connection: AnyConnection): number | undefined {
  const atOnce = [{ intervalMs: 1, requests: requestsOfRound(loads) }];
  const fitting = fittingIntervalMs(atOnce, connection.spec.limits.requestsPerHour);
  return fitting === undefined ? undefined : raised(fitting, connection);
}
