// An API server with one Lease, on a manual clock: versions, conflicts and watches as the real one has them, and
// for each replica a network of its own that can be slow, away, or lose responses. It records the writers.
import { sleep } from '../../../src/lib/clock.ts';
import { StoppedError } from '../../../src/lib/errors.ts';
import type { WatchStream } from '../../../src/operator/kube/api-server-call.ts';
import { KubeError } from '../../../src/operator/kube/kube-error.ts';
import type { Lease, LeaseSpec } from '../../../src/operator/kube/lease.ts';
import type { KubeRequest, KubeTransport } from '../../../src/operator/kube/transport.ts';
import type { ManualClock } from '../rigs/manual-clock.ts';

/** How one replica reaches the server. */
export interface Link {
  /** `away`: refused at once. `silent`: nothing arrives. `deaf`: what is sent arrives, answers do not. */
  state: 'up' | 'away' | 'silent' | 'deaf';
  /** On the way to the server, milliseconds. */
  delayMs: number;
  /** False leaves the replica with what it reads itself. */
  hasWatch: boolean;
  /** Every request that was sent, answered or not. */
  readonly sent: string[];
}

interface WatchEvent {
  readonly type: string;
  readonly object: Lease;
}

export class LeaseServer {
  readonly #clock: ManualClock;
  readonly #watchers = new Set<(event: WatchEvent) => void>();
  #version = 100;
  lease: Lease | undefined;
  /** Holders in the order in which they took it; an empty one is a release. */
  readonly holders: string[] = [];
  refusesWrites = false;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  /** As a user with kubectl does it. */
  edit(spec: LeaseSpec): void {
    this.#store({ ...this.lease?.spec, ...spec });
  }

  label(name: string, value: string): void {
    if (!this.lease) return;
    const metadata = { ...this.lease.metadata, labels: { [name]: value } };
    this.lease = { ...this.lease, metadata };
    this.#store(this.lease.spec ?? {});
  }

  remove(): void {
    if (!this.lease) return;
    this.#version++;
    const metadata = { ...this.lease.metadata, resourceVersion: String(this.#version) };
    const event = { type: 'DELETED', object: { ...this.lease, metadata } };
    this.lease = undefined;
    for (const notify of this.#watchers) notify(event);
  }

  connect(link: Link): KubeTransport {
    return {
      request: async <T>(request: KubeRequest) => (await this.#request(link, request)) as T,
      send: () => Promise.reject(new Error('not used')),
      watch: (request) => this.#watch(link, request),
    };
  }

  async #request(link: Link, request: KubeRequest): Promise<unknown> {
    link.sent.push(request.verb);
    const { deadlineMs = 30_000, signal } = request;
    if (link.state === 'away') throw new KubeError('kube-unreachable', 'connection refused');
    const limit = async (waitMs: number) => {
      await sleep(this.#clock, Math.min(waitMs, deadlineMs), signal);
      if (signal?.aborted) throw new StoppedError('given up');
      if (waitMs >= deadlineMs) throw new KubeError('kube-unreachable', 'no answer in time');
    };
    if (link.state === 'silent') await limit(Infinity);
    if (link.delayMs > 0) {
      // It arrives, however long its sender waits.
      const arrived = sleep(this.#clock, link.delayMs).then(() => this.#answer(request));
      arrived.catch(() => undefined);
      await limit(link.delayMs);
      return arrived;
    }
    const answer = this.#answer(request);
    if (link.state === 'deaf') await limit(Infinity);
    return answer;
  }

  #answer({ verb, body }: KubeRequest): unknown {
    const { lease } = this;
    if (verb === 'list') {
      return { metadata: { resourceVersion: String(this.#version) }, items: lease ? [lease] : [] };
    }
    if (this.refusesWrites && verb !== 'get') throw new KubeError('kube-conflict', 'refused');
    if (verb === 'create') {
      if (lease) throw new KubeError('kube-conflict', 'exists');
      return this.#store((JSON.parse(body ?? '') as Lease).spec ?? {});
    }
    if (!lease) throw new KubeError('kube-not-found', 'gone');
    if (verb === 'get') return lease;
    const sent = JSON.parse(body ?? '') as Lease;
    if (sent.metadata.resourceVersion !== lease.metadata.resourceVersion) {
      throw new KubeError('kube-conflict', 'changed');
    }
    return this.#store(sent.spec ?? {});
  }

  #store(spec: LeaseSpec): Lease {
    this.#version++;
    const type = this.lease ? 'MODIFIED' : 'ADDED';
    const metadata = this.lease?.metadata ?? { name: 'rolealerts', namespace: 'system', uid: `u${this.#version}` };
    const object = { metadata: { ...metadata, resourceVersion: String(this.#version) }, spec };
    const holder = spec.holderIdentity ?? '';
    if ((this.lease?.spec?.holderIdentity ?? '') !== holder) this.holders.push(holder);
    this.lease = object;
    for (const notify of this.#watchers) notify({ type, object });
    return object;
  }

  async #watch(link: Link, { signal }: KubeRequest): Promise<WatchStream> {
    if (link.state !== 'up' || !link.hasWatch) throw new KubeError('kube-unreachable', 'no watch');
    let waiting: Buffer[] = [];
    let wake: () => void = () => undefined;
    const stream = { isOpen: true };
    const notify = (event: WatchEvent) => {
      if (link.state === 'silent' || link.state === 'deaf') return;
      waiting.push(Buffer.from(JSON.stringify(event)));
      wake();
    };
    const close = () => {
      stream.isOpen = false;
      this.#watchers.delete(notify);
      wake();
    };
    this.#watchers.add(notify);
    signal?.addEventListener('abort', close);
    return {
      async read() {
        while (waiting.length === 0 && stream.isOpen) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const lines = waiting;
        waiting = [];
        return lines.length > 0 ? lines : undefined;
      },
      close,
    };
  }
}
