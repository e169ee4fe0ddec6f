// What the scopes of one connection need of its rate limit. Every event of a policy may write the status of its connection,
// which shows it, so the sums are kept: only the scopes that changed since are computed again.
import type { Load } from '../report/capacity.ts';

export class Demand {
  readonly #scopes: () => Iterable<string>;
  readonly #loadOf: (scope: string) => Load | undefined;
  readonly #loads = new Map<string, Load>();
  /** Interval → requests that list all its scopes once. Whole numbers, which gather no rounding errors. */
  readonly #requests = new Map<number, number>();
  readonly #changed = new Set<string>();

  /** `scopes`: those of the connection's policies. `loadOf`: undefined for a scope that need not be listed. */
  constructor(scopes: () => Iterable<string>, loadOf: (scope: string) => Load | undefined) {
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
