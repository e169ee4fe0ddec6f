// Responses that clients may not have read, oldest first, as a chain of links. A Map would not do: with each response it fills its table up
// and soon replaces it, and a replaced table that the garbage collector has promoted keeps all later tables and their entries alive
// until the next full collection. A quarter of what large lists allocate then survived each collection of young objects.

export interface ChainedResponse<Held> {
  readonly held: Held;
  readonly sinceMs: number;
  /** Cuts the connection of the response. */
  readonly cut: () => void;
}

/** Its place in the chain; undefined links once it is removed. */
export interface ChainLink<Held> extends ChainedResponse<Held> {
  earlier: ChainLink<Held> | undefined;
  later: ChainLink<Held> | undefined;
}

export class ResponseChain<Held> {
  #oldest: ChainLink<Held> | undefined;
  #newest: ChainLink<Held> | undefined;

  add(response: ChainedResponse<Held>): ChainLink<Held> {
    const earlier = this.#newest;
    const link = { ...response, earlier, later: undefined };
    if (earlier) earlier.later = link;
    else this.#oldest = link;
    this.#newest = link;
    return link;
  }

  /** Call it once for each link. */
  remove(link: ChainLink<Held>): void {
    const { earlier, later } = link;
    if (earlier) earlier.later = later;
    else this.#oldest = later;
    if (later) later.earlier = earlier;
    else this.#newest = earlier;
    // A promoted link must not keep the younger ones alive either.
    link.earlier = undefined;
    link.later = undefined;
  }

  /** Oldest first. The caller may remove the response that it has received. */
  *[Symbol.iterator](): Iterator<ChainedResponse<Held>> {
    let link = this.#oldest;
    while (link) {
      const { later } = link;
      yield link;
      link = later;
    }
  }
}
