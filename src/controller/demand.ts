// The requests per hour that the scopes of one connection need. Every event of a policy may write the status of its
// connection, which shows this sum, so the sum is kept: only the scopes that changed since are computed again.

export interface DemandDeps {
  /** What identifies the connection's current spec; undefined without a connection. */
  readonly identity: () => { readonly uid: string; readonly generation: number } | undefined;
  /** Canonical scopes of the connection's policies. */
  readonly scopes: () => Iterable<string>;
  /** Of one scope at present; 0 for a scope without policies. */
  readonly requestsPerHour: (scope: string) => number;
}

export class Demand {
  readonly #deps: DemandDeps;
  readonly #perHour = new Map<string, number>();
  /** Requests per hour → number of scopes that need so many. A sum that every change adds to would gather rounding errors. */
  readonly #scopeCounts = new Map<number, number>();
  readonly #changed = new Set<string>();
  /** The spec that the kept values were computed for. */
  #identity: ReturnType<DemandDeps['identity']>;

  constructor(deps: DemandDeps) {
    this.#deps = deps;
  }

  /** The policies or the pages of the scope have changed. */
  note(scope: string): void {
    // Without kept values, everything will be computed anyway.
    if (this.#identity) this.#changed.add(scope);
  }

  /** The sum over all scopes; 0 without a connection. */
  requestsPerHour(): number {
    const identity = this.#deps.identity();
    if (identity?.uid !== this.#identity?.uid || identity?.generation !== this.#identity?.generation) this.#reset();
    this.#identity = identity;
    if (!identity) return 0;
    for (const scope of this.#changed) this.#update(scope);
    this.#changed.clear();
    let sum = 0;
    for (const [perHour, scopes] of this.#scopeCounts) sum += perHour * scopes;
    return sum;
  }

  #reset(): void {
    this.#perHour.clear();
    this.#scopeCounts.clear();
    this.#changed.clear();
    for (const scope of this.#deps.scopes()) this.#changed.add(scope);
  }

  #update(scope: string): void {
    const before = this.#perHour.get(scope) ?? 0;
    const perHour = this.#deps.requestsPerHour(scope);
    if (perHour === before) return;
    this.#count(before, -1);
    this.#count(perHour, 1);
    if (perHour > 0) this.#perHour.set(scope, perHour);
    else this.#perHour.delete(scope);
  }

  #count(perHour: number, change: number): void {
    const scopes = (this.#scopeCounts.get(perHour) ?? 0) + change;
    if (scopes > 0 && perHour > 0) this.#scopeCounts.set(perHour, scopes);
    else this.#scopeCounts.delete(perHour);
  }
}
