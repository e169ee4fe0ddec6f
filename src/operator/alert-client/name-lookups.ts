// Name resolution for the connections of all teams. The system resolves only two names at a time (libuv gives getaddrinfo half of its
// four threads), each for ten seconds or longer when the servers of a domain do not answer: a few such names would cut off every team.
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';

import type { Clock } from '../../lib/clock.ts';

type Callback = Parameters<LookupFunction>[2];
type Answer = Parameters<Callback>;

/** What asks for the same name before the answer shares one lookup. */
interface Query {
  readonly hostname: string;
  readonly options: LookupOptions;
  readonly askedMs: number;
  readonly callbacks: Callback[];
}

/** In the order in which they were asked; the system resolves the first one. */
type Queries = Map<string, Query>;

/** No caller waits for longer (transport.ts). */
const longestWaitMs = 10_000;

export class NameLookups {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #lookup: LookupFunction;
  /** By owner. None is empty. */
  readonly #queries = new Map<string, Queries>();

  constructor(clock: Pick<Clock, 'monotonic'>, lookup: LookupFunction = systemLookup) {
    this.#clock = clock;
    this.#lookup = lookup;
  }

  /** The lookups of one owner run one after another, so that they occupy one place of the system. */
  of(owner: string): LookupFunction {
    return (hostname, options, callback) => {
      const key = JSON.stringify([hostname, options]);
      const queries: Queries = this.#queries.get(owner) ?? new Map();
      const known = queries.get(key);
      if (known) {
        known.callbacks.push(callback);
        return;
      }
      queries.set(key, { hostname, options, askedMs: this.#clock.monotonic(), callbacks: [callback] });
      this.#queries.set(owner, queries);
      if (queries.size === 1) this.#next(owner, queries);
    };
  }

  #next(owner: string, queries: Queries): void {
    const late = this.#takeLate(queries);
    const [first] = queries;
    if (first) this.#resolve(owner, queries, ...first);
    else this.#queries.delete(owner);
    for (const query of late) answer(query, waitedTooLong(query));
  }

  #resolve(owner: string, queries: Queries, key: string, query: Query): void {
    this.#lookup(query.hostname, query.options, (...found) => {
      queries.delete(key);
      this.#next(owner, queries);
      answer(query, found);
    });
  }

  /** Removes the queries that nothing waits for any more, so that the queue does not grow. */
  #takeLate(queries: Queries): Query[] {
    const sinceMs = this.#clock.monotonic() - longestWaitMs;
    const late = [...queries].filter(([, { askedMs }]) => askedMs <= sinceMs);
    for (const [key] of late) queries.delete(key);
    return late.map(([, query]) => query);
  }
}

function answer({ callbacks }: Query, found: Answer): void {
  for (const callback of callbacks) callback(...found);
}

function waitedTooLong({ hostname }: Query): [error: NodeJS.ErrnoException, addresses: LookupAddress[]] {
  const message = `${hostname} was not resolved, because other names of the namespace took too long`;
  return [Object.assign(new Error(message), { code: 'EAI_AGAIN' }), []];
}
