// What this process serves if it is a shard, and whether another shard serves a connection that it does not have. Policies of such
// connections are left alone. Concurrent callers, and those of the next second, share one request.
import type { Clock } from '../../lib/clock.ts';
import { connectionKeyOf, partsOfConnectionKey } from '../../policy/connection-key.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import type { ClusterPort } from '../ports.ts';
import { conditionOf } from '../reasons/conditions.ts';

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

/**
 * Of policies without a connection, every shard writes the same status, which says so; the status of a policy of another shard does not.
 */
export function* servedPolicies({ policies, connections, readUidAnywhere }: ClusterPort): Iterable<RoleAlertPolicy> {
  const isSharded = readUidAnywhere !== undefined;
  for (const policy of policies.list()) {
    if (!isSharded || connections.get(connectionKeyOf(policy)) || isWithoutConnection(policy)) yield policy;
  }
}

function isWithoutConnection({ status }: RoleAlertPolicy): boolean {
  return conditionOf(status, 'ConnectionReady')?.reason === 'ConnectionNotFound';
}
