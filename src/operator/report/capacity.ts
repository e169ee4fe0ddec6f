// What the scopes of a connection need of its rate limit while nothing drifts, and whether the limit suffices. The status of a connection,
// `rolealerts status --show budget` and the table of deploy/reference/sizing.md show what the same function returns.
import { byText } from '../../lib/compare-text.ts';
import { formatShortDuration } from '../../lib/duration.ts';
import type { RoleAlertConnectionStatus } from '../../policy/generated/role-alert-connection.ts';
import type { AnyConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import { policyIntervalMs } from '../decide/schedule.ts';
import { type ConditionDraft, conditionOf } from '../reasons/conditions.ts';
import type { EventDraft } from './event-draft.ts';

/** The scopes of a connection that are listed at one interval. */
export interface Load {
  readonly intervalMs: number;
  /** Requests that list each of these scopes once. */
  readonly requests: number;
}

/** The load of one scope. */
export interface ScopeLoad extends Load {
  /** Of the policy that sets the interval. */
  readonly namespace: string;
}

/** The namespace that needs the most requests per hour of a connection. */
export interface LargestNamespace {
  readonly namespace: string;
  readonly needed: number;
}

/** The condition `Capacity`. It compares the rate limit with what the policies need; it says nothing about the service. */
export interface Capacity extends ConditionDraft {
  readonly status: 'True' | 'False';
  readonly facts: {
    /** Requests per hour, rounded up. */
    readonly needed: number;
    readonly allowed: number;
    readonly fittingInterval?: string;
    readonly largest?: LargestNamespace | undefined;
  };
}

const hourMs = 3_600_000;

/** What the shortest `limits.minInterval` that suffices is chosen from: whole seconds up to a minute, whole minutes up to a day. */
const intervalsMs = Array.from({ length: 60 + 1439 }, (_, index) =>
  index < 60 ? (index + 1) * 1000 : (index - 58) * 60_000,
);

/** `allowed`: `limits.requestsPerHour`. `largestOf`: for a connection of several namespaces; asked only when the limit does not suffice. */
export function capacityOf(
  loads: readonly Load[],
  allowed: number,
  largestOf?: () => LargestNamespace | undefined,
): Capacity {
  const needed = Math.ceil(requestsPerHour(loads, 0));
  if (needed <= allowed) return { status: 'True', reason: 'BudgetSufficient', facts: { needed, allowed } };
  const fittingMs = intervalsMs.find((intervalMs) => requestsPerHour(loads, intervalMs) <= allowed);
  const fittingInterval = fittingMs === undefined ? 'none' : formatShortDuration(fittingMs);
  const largest = largestOf?.();
  return {
    status: 'False',
    reason: 'BudgetTooSmall',
    facts: { needed, allowed, fittingInterval, ...(largest && { largest }) },
  };
}

/** If no interval is shorter than `minIntervalMs`. */
function requestsPerHour(loads: readonly Load[], minIntervalMs: number): number {
  return loads.reduce(
    (sum, { intervalMs, requests }) => sum + (requests * hourMs) / Math.max(intervalMs, minIntervalMs),
    0,
  );
}

/**
 * The load of one scope. `policies`: those that list it through the connection. `defaultMs`: the operator's `--interval`. `pages`:
 * requests of one list. Undefined when none of the policies needs requests.
 */
export function scopeLoad(
  policies: readonly RoleAlertPolicy[],
  connection: AnyConnection,
  { defaultMs, pages }: { readonly defaultMs: number; readonly pages: number },
): ScopeLoad | undefined {
  let load: ScopeLoad | undefined;
  for (const policy of policies) {
    // A suspension with an end counts: its requests return without an edit.
    if (policy.spec.suspend && policy.spec.suspendUntil === undefined) continue;
    const intervalMs = policyIntervalMs(policy, connection, defaultMs);
    const { namespace } = policy.metadata;
    // Of equal intervals always the same namespace, so that a restart writes no status.
    if (load && (load.intervalMs - intervalMs || byText(load.namespace, namespace)) <= 0) continue;
    load = { intervalMs, requests: pages, namespace };
  }
  return load;
}

/** One load for each interval: whole numbers, which gather no rounding errors. */
function summed(loads: readonly Load[]): readonly Load[] {
  return [...Map.groupBy(loads, ({ intervalMs }) => intervalMs)].map(([intervalMs, of]) => ({
    intervalMs,
    requests: of.reduce((sum, { requests }) => sum + requests, 0),
  }));
}

/** The event for a rate limit that no longer suffices, or suffices again. */
export function capacityEvent(
  before: RoleAlertConnectionStatus | undefined,
  after: RoleAlertConnectionStatus,
): EventDraft | undefined {
  const { status, message: note } = conditionOf(after, 'Capacity') ?? { status: 'Unknown' };
  const wasTooSmall = conditionOf(before, 'Capacity')?.status === 'False';
  if (note === undefined || status === 'Unknown' || (status === 'False') === wasTooSmall) return undefined;
  return wasTooSmall
    ? { type: 'Normal', reason: 'BudgetSufficient', action: 'Connect', note }
    : { type: 'Warning', reason: 'BudgetTooSmall', action: 'Connect', note };
}

/** What the scopes of one connection need of its rate limit. Every event of a policy may write the status of its connection, which shows it, so the sums are kept: only the scopes that changed since are computed again. */
export class Demand {
  readonly #scopes: () => Iterable<string>;
  readonly #loadOf: (scope: string) => ScopeLoad | undefined;
  readonly #loads = new Map<string, ScopeLoad>();
  /** Interval → requests that list all its scopes once. Whole numbers, which gather no rounding errors. */
  readonly #requests = new Map<number, number>();
  readonly #changed = new Set<string>();

  /** `scopes`: those of the connection's policies. `loadOf`: undefined for a scope that need not be listed. */
  constructor(scopes: () => Iterable<string>, loadOf: (scope: string) => ScopeLoad | undefined) {
    this.#scopes = scopes;
    this.#loadOf = loadOf;
  }

  /** The policies or the pages of the scope have changed. */
  invalidate(scope: string): void {
    this.#changed.add(scope);
  }

  /** The spec of the connection has changed. */
  invalidateAll(): void {
    for (const scope of this.#scopes()) this.#changed.add(scope);
  }

  /** One for each interval, the shortest first. */
  loads(): readonly Load[] {
    for (const scope of this.#changed) this.#update(scope);
    this.#changed.clear();
    return [...this.#requests]
      .map(([intervalMs, requests]) => ({ intervalMs, requests }))
      .sort((a, b) => a.intervalMs - b.intervalMs);
  }

  /** As of the last `loads()`. It walks over all scopes. */
  largestNamespace(): LargestNamespace | undefined {
    const byNamespace = [...Map.groupBy(this.#loads.values(), ({ namespace }) => namespace)];
    const needs = byNamespace.map(([namespace, loads]) => ({
      namespace,
      needed: Math.ceil(requestsPerHour(summed(loads), 0)),
    }));
    return needs.sort((a, b) => b.needed - a.needed || byText(a.namespace, b.namespace))[0];
  }

  #update(scope: string): void {
    const before = this.#loads.get(scope);
    const load = this.#loadOf(scope);
    if (before) this.#add(before.intervalMs, -before.requests);
    if (load) this.#add(load.intervalMs, load.requests);
    if (load) this.#loads.set(scope, load);
    else this.#loads.delete(scope);
  }

  #add(intervalMs: number, change: number): void {
    const requests = (this.#requests.get(intervalMs) ?? 0) + change;
    if (requests > 0) this.#requests.set(intervalMs, requests);
    else this.#requests.delete(intervalMs);
  }
}
