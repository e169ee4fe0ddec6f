// Counts the rounds over the scopes of one connection: a round is complete when the service has served every scope that has
// to be listed, once more than before the round.

export class Rounds {
  /** Scope → the last round in which it was served; 0 before the first. */
  readonly #servedIn = new Map<string, number>();
  #round = 1;
  /** Scopes that were not served in this round. */
  #left = 0;

  /** True until the first round is complete. */
  get isFirst(): boolean {
    return this.#round === 1;
  }

  get scopes(): number {
    return this.#servedIn.size;
  }

  join(scope: string): void {
    if (this.#servedIn.has(scope)) return;
    this.#servedIn.set(scope, 0);
    this.#left++;
  }

  /** If the round lacked only this scope, it is complete when the next scope is served. */
  leave(scope: string): void {
    const round = this.#servedIn.get(scope);
    if (round === undefined) return;
    this.#servedIn.delete(scope);
    if (round !== this.#round) this.#left--;
  }

  /** True when this completes the round. */
  served(scope: string): boolean {
    this.join(scope);
    if (this.#servedIn.get(scope) !== this.#round) this.#left--;
    this.#servedIn.set(scope, this.#round);
    if (this.#left > 0) return false;
    this.#round++;
    this.#left = this.#servedIn.size;
    return true;
  }
}
