// Which scopes of a connection fail in one way, and which of them alone: a scope fails alone when the service has served another one
// since it began to fail. Nothing here grows with the number of scopes that work.

export class FailingScopes {
  /** By scope: how many times the service had served one when it began to fail. */
  readonly #since = new Map<string, number>();
  #served = 0;
  #alone = 0;

  /** Scopes that fail alone. */
  get alone(): number {
    return this.#alone;
  }

  get size(): number {
    return this.#since.size;
  }

  has(scope: string): boolean {
    return this.#since.has(scope);
  }

  isAlone(scope: string): boolean {
    const since = this.#since.get(scope);
    return since !== undefined && since < this.#served;
  }

  /** Again and again is once: a scope fails from the first time until it is served. */
  failed(scope: string): void {
    if (!this.has(scope)) this.#since.set(scope, this.#served);
  }

  /** The scope does not fail in this way, and so all that do fail alone. */
  served(scope: string): void {
    this.#since.delete(scope);
    this.#served++;
    this.#alone = this.#since.size;
  }

  forget(scope: string): void {
    if (this.isAlone(scope)) this.#alone--;
    this.#since.delete(scope);
  }

  clear(): void {
    this.#since.clear();
    this.#alone = 0;
  }
}
