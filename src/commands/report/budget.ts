// What the policies of each connection need of its rate limit, as the condition Capacity says it.
import { byText } from '../../lib/compare-text.ts';
import { formatShortDuration } from '../../lib/duration.ts';
import { withoutUndefined } from '../../lib/json-shape.ts';
import { conditionOf } from '../../operator/reasons/conditions.ts';
import { connectionName } from '../../operator/reasons/message-facts.ts';
import { conditionMessage } from '../../operator/reasons/reasons.ts';
import { capacityOf, type Load, scopeLoad } from '../../operator/report/capacity.ts';
import { connectionKeyOf, isClusterConnectionKey, partsOfConnectionKey } from '../../policy/connection-key.ts';
import type { AnyConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import { namespacedName, scopeRefOf } from '../../policy/scope-ref.ts';
import type { Section } from './model.ts';

export interface BudgetInput {
  readonly policies: readonly RoleAlertPolicy[];
  readonly connections: readonly AnyConnection[];
  /** The operator's `--interval`; milliseconds. */
  readonly defaultMs: number;
}

type ConnectionBudget = ReturnType<typeof budgetOf>;

export function budgetSection(input: BudgetInput & { readonly isWhole: boolean }): Section {
  const budgets = budgetsOf(input);
  const reported = budgets.flatMap(({ connection, reported: found }) =>
    found === undefined
      ? []
      : `The operator reports ${found} requests an hour of ${connectionName('connection', connection)} now: its lists have several pages, its --interval is another one, or not all of its policies were read.`,
  );
  return {
    id: 'budget',
    heading: 'Requests per hour',
    columns: [
      { name: 'connection' },
      { name: 'scopes', isNumber: true },
      ...['interval', 'capacity'].map((name) => ({ name })),
    ],
    rows: budgets.map((budget) => ({ cells: cellsOf(budget) })),
    nothing: 'There are no connections.',
    notes: [...budgetNotes(input), ...reported],
    data: {
      budget: budgets.map(({ connection, limits, reported: found, ...need }) =>
        withoutUndefined({
          connection: partsOfConnectionKey(connection),
          limits: { requestsPerHour: limits.requestsPerHour, burst: limits.burst, minInterval: limits.minInterval },
          now: needData(need),
          reported: found,
        }),
      ),
    },
  };
}

/** The intervals from the shortest to the longest, and the sentence of the condition Capacity. */
function cellsOf({ connection, scopes, loads, capacity }: ConnectionBudget) {
  const ends = [loads[0], loads.at(-1)].flatMap((load) => (load ? formatShortDuration(load.intervalMs) : []));
  const sentence = conditionMessage(capacity.reason, { ...capacity.facts, connection });
  return [connectionName('connection', connection), scopes, [...new Set(ends)].join(' to '), sentence];
}

function needData({ scopes, loads, capacity }: Pick<ConnectionBudget, 'scopes' | 'loads' | 'capacity'>): object {
  return {
    scopes,
    intervals: loads.map(({ intervalMs, requests }) => ({ interval: formatShortDuration(intervalMs), requests })),
    requestsPerHour: capacity.facts.needed,
    capacity: capacity.status === 'True' ? 'Sufficient' : 'TooSmall',
  };
}

export function budgetsOf(input: BudgetInput): readonly ConnectionBudget[] {
  const byConnection = Map.groupBy(input.policies, (policy) => scopeRefOf(policy).connection);
  return input.connections
    .map((connection) => budgetOf(connection, byConnection.get(namespacedName(connection)) ?? [], input))
    .sort((a, b) => byText(a.connection, b.connection));
}

/** Whether every limit suffices. */
export function isWithinBudget(budgets: readonly ConnectionBudget[]): boolean {
  return budgets.every(({ capacity }) => capacity.status === 'True');
}

/** What the budgets leave out, as sentences. `isWhole`: false when policies of other namespaces were not read. */
function budgetNotes({
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

function budgetOf(connection: AnyConnection, policies: readonly RoleAlertPolicy[], input: BudgetInput) {
  const { limits } = connection.spec;
  const ofScopes = scopeLoads(connection, policies, input);
  // One for each interval, the shortest first.
  const loads = byInterval(ofScopes);
  const capacity = capacityOf(loads, limits.requestsPerHour);
  const reported = connection.status?.predictedRequestsPerHour;
  return {
    connection: namespacedName(connection),
    limits,
    scopes: ofScopes.length,
    loads,
    capacity,
    // The requests per hour that the operator reports, if they differ.
    ...(reported !== undefined && reported !== capacity.facts.needed && { reported }),
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
  return [...byScope.values()].flatMap((ofScope) => scopeLoad(ofScope, connection, { ...input, pages: 1 }) ?? []);
}

function byInterval(loads: readonly Load[]): readonly Load[] {
  return [...Map.groupBy(loads, ({ intervalMs }) => intervalMs)]
    .map(([intervalMs, same]) => ({ intervalMs, requests: same.reduce((sum, { requests }) => sum + requests, 0) }))
    .sort((a, b) => a.intervalMs - b.intervalMs);
}
