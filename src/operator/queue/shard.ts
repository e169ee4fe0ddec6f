// Decides whether another shard serves a connection that this process does not have. Policies of such connections are
// left alone. Concurrent callers, and those of the next second, share one request.
import type { Clock } from '../../lib/clock.ts';
import { partsOfConnectionKey } from '../../policy/connection-key.ts';
import type { ClusterPort } from '../ports.ts';

const sharedMs = 1000;
const deadlineMs = 10_000;

export class ShardMembership {
  readonly #cluster: ClusterPort;
  readonly #clock: Clock;
  readonly #asked = new Map<string, Promise<string | undefined>>();

  constructor(cluster: ClusterPort, clock: Clock) {
    this.#cluster = cluster;
    this.#clock = clock;
  }

  /** True when this process serves only some of the connections. */
  get isSharded(): boolean {
    return this.#cluster.readUidAnywhere !== undefined;
  }

  /** True when another shard may serve it. Rejects when the API server does not respond. */
  async isServedByOther(key: string): Promise<boolean> {
    if (!this.isSharded) return false;
    const asked = this.#asked.get(key) ?? this.#ask(key);
    return (await asked) !== undefined;
  }

  #ask(key: string): Promise<string | undefined> {
    const answer = this.#read(key);
    this.#asked.set(key, answer);
    this.#clock.setTimer(sharedMs, () => {
      if (this.#asked.get(key) === answer) this.#asked.delete(key);
    });
    return answer;
  }

  async #read(key: string): Promise<string | undefined> {
    const { namespace, name } = partsOfConnectionKey(key);
    const deadline = new AbortController();
    const timer = this.#clock.setTimer(deadlineMs, () => deadline.abort());
    try {
      return await this.#cluster.readUidAnywhere?.(namespace, name, deadline.signal);
    } finally {
      timer.cancel();
    }
  }
}
