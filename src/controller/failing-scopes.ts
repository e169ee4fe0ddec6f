// The scopes of a connection that fail in one way, and which of them fail alone: a scope fails alone when the service
// has served another scope since it began to fail. The memory does not grow with the number of scopes that work.

export class FailingScopes {
  /** By scope: the value of `#served` when the scope began to fail. */
  readonly #since = new Map<string, number>();
  #served = 0;
  #alone = 0;

  /** Number of scopes that fail alone. */
  get alone(): number {
    return this.#alone;
  }

  get size(): number {
    return this.#since.size;
  }

  has(scope: string): boolean {
    return this.#since.has(scope);
  }

  scopes(): Iterable<string> {
    return this.#since.keys();
  }

  isAlone(scope: string): boolean {
    const since = this.#since.get(scope);
    return since !== undefined && since < this.#served;
  }

  /** Repeated failures count once, from the first failure until the scope is served. */
  failed(scope: string): void {
    if (!this.has(scope)) this.#since.set(scope, this.#served);
  }

  /** The service served this scope, so all scopes that still fail do so alone. */
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
