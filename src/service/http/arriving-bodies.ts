// The requests whose bodies have not arrived whole. A connection that sends one costs twice the memory of an idle one, so their number has a
// limit; at the limit a request takes the place of another one, so that clients that never finish lock out no others.

/** A request whose body arrives. */
export interface ArrivingBody {
  /** The addresses that count as one client. */
  readonly network: string;
  /** Refuses the request; its connection closes once that and earlier responses are sent. */
  cut(): void;
}

export class ArrivingBodies {
  readonly #most: number;
  /** By network, in the order of arrival. */
  readonly #byNetwork = new Map<string, Set<ArrivingBody>>();
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** At the limit cuts the oldest request of the network with the most, which may be the network of the new one. */
  add(body: ArrivingBody): void {
    const { network } = body;
    const own = this.#byNetwork.get(network) ?? new Set();
    this.#byNetwork.set(network, own.add(body));
    this.#count += 1;
    if (this.#count > this.#most) this.#cutOne();
  }

  /** The body has arrived, or its connection is closed. Idempotent. */
  remove(body: ArrivingBody): void {
    const own = this.#byNetwork.get(body.network);
    if (!own?.delete(body)) return;
    this.#count -= 1;
    if (own.size === 0) this.#byNetwork.delete(body.network);
  }

  #cutOne(): void {
    let most: ReadonlySet<ArrivingBody> = new Set();
    for (const each of this.#byNetwork.values()) if (each.size > most.size) most = each;
    const [oldest] = most;
    if (!oldest) return;
    this.remove(oldest);
    oldest.cut();
  }
}
