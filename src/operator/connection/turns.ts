// The scopes of one connection that have to be listed. A round is complete when each of them was tried once more.
import type { Random } from '../../lib/random.ts';

export class Turns {
  /** Scopes that were not tried in this round. */
  #left = new Set<string>();
  #tried = new Set<string>();
  #rounds = 0;

  /** Number of complete rounds. */
  get rounds(): number {
    return this.#rounds;
  }

  get size(): number {
    return this.#left.size + this.#tried.size;
  }

  join(scope: string): void {
    if (!this.#tried.has(scope)) this.#left.add(scope);
  }

  /** If the round lacked only this scope, it is complete when the next scope is tried. */
  leave(scope: string): void {
    this.#left.delete(scope);
    this.#tried.delete(scope);
  }

  /** An attempt on the scope ended. True when this completes the round. */
  ended(scope: string): boolean {
    this.leave(scope);
    this.#tried.add(scope);
    if (this.#left.size > 0) return false;
    this.#left = this.#tried;
    this.#tried = new Set();
    this.#rounds++;
    return true;
  }

  /**
   * The scopes that were not tried in this round come first. Chance decides with which they begin, so that the names of many failing
   * scopes cannot delay one that works.
   */
  inTrialOrder(random: Random): string[] {
    const left = [...this.#left];
    const begin = Math.floor(random.next() * left.length);
    return [...left.slice(begin), ...left.slice(0, begin), ...this.#tried];
  }
}
