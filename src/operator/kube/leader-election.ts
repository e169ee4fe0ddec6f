// Elects a leader among the replicas: the holder of the Lease, after client-go's leaderelection.go, with two differences. The
// holder counts its time from before it sends a renewal, the others from after they see it, so that two terms never overlap.
// And the others watch the Lease, so that they notice a release at once. A replica leads at most once: after a loss it ends.
import { type Clock, sleptMs, type Timer, wallOffsetMs } from '../../lib/clock.ts';
import { errorFields, isCoded } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import { isKubeError } from './kube-error.ts';
import {
  createLeaseStore,
  heldSpec,
  type Lease,
  leaseResource,
  type LeaseStore,
  LeaseView,
  releaseLease,
} from './lease.ts';
import { createReflector, type Reflector } from './reflector.ts';
import type { KubeTransport } from './transport.ts';

export interface ElectionTiming {
  /** After a renewal, no other replica takes the Lease for this long. */
  readonly leaseMs: number;
  /** A holder that has not renewed the Lease for this long loses it. */
  readonly renewDeadlineMs: number;
  /** Between two renewals, and between two reads of a replica that waits. */
  readonly retryMs: number;
  /** For one request. */
  readonly tryDeadlineMs: number;
}

export const defaultTiming: ElectionTiming = {
  leaseMs: 35_000,
  renewDeadlineMs: 30_000,
  retryMs: 5000,
  tryDeadlineMs: 5000,
};

export interface LeaderElectionOptions {
  readonly transport: KubeTransport;
  readonly namespace: string;
  /** The name of the Lease. */
  readonly name: string;
  /** Unique among all processes, ever. */
  readonly identity: string;
  readonly timing?: ElectionTiming | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Called at most once. */
  readonly onAcquired: () => void;
  /** Called at most once, after `onAcquired`; not after a release. */
  readonly onLost: () => void;
}

/** Spreads the attempts of the replicas that wait for the end of a Lease. */
const spreadMs = 500;
const pollJitter = 0.2;

/** While this replica holds the Lease. Times are monotonic. */
interface Term {
  /** As this replica last wrote it. */
  readonly lease: Lease;
  readonly validUntilMs: number;
  /** `wallOffsetMs` when the Lease was written. */
  readonly offsetMs: number;
  /** Fires when the Lease was not renewed in time. */
  readonly deadline: Timer;
}

interface Attempt {
  readonly atMs: number;
  /** From then on, or from the last change of the Lease, to the next attempt while another replica holds it. */
  readonly pollAfterMs: number;
}

export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #timing: ElectionTiming;
  readonly #store: LeaseStore;
  readonly #watch: Reflector<Lease>;
  readonly #view: LeaseView;
  readonly #stopping = new AbortController();
  /** Aborts the request in flight when the Lease is lost. A replica leads at most once. */
  readonly #ended = new AbortController();
  #running: Promise<void> | undefined;
  #term: Term | undefined;
  /** The last attempt; undefined when the next one is urgent. */
  #tried: Attempt | undefined;
  #failures = 0;
  #wake: () => void = () => undefined;

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    this.#timing = options.timing ?? defaultTiming;
    this.#view = new LeaseView(this.#timing.leaseMs);
    this.#store = createLeaseStore({ ...options, deadlineMs: this.#timing.tryDeadlineMs });
    const { transport, clock, random, log } = options;
    this.#watch = createReflector<Lease>({
      transport,
      clock,
      random,
      log,
      resource: leaseResource,
      namespaces: [options.namespace],
      fieldSelector: `metadata.name=${options.name}`,
      handlers: {
        onEvent: ({ type, object }) => (type === 'deleted' ? this.#hurry() : this.#watched(object)),
      },
    });
  }

  /** The time during which no other replica can hold the Lease; 0 unless this replica holds it. */
  get leftMs(): number {
    if (!this.#term) return 0;
    const { clock } = this.#options;
    const { validUntilMs, offsetMs } = this.#term;
    return Math.max(validUntilMs - clock.monotonic() - sleptMs(clock, offsetMs), 0);
  }

  /** Idempotent. */
  start(): void {
    if (this.#running) return;
    this.#watch.start();
    this.#running = this.#run();
  }

  /** Releases the Lease, so that another replica takes it at once. Call it after all guarded work has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    // An attempt in progress may acquire the Lease; it ends within its deadline.
    await this.#running;
    await this.#watch.stop();
    const term = this.#end();
    if (term) await this.#release(term.lease);
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted && !this.#ended.signal.aborted) {
      const waitMs = this.#dueMs() - this.#options.clock.monotonic();
      if (waitMs > 0) await this.#pause(waitMs);
      else await this.#try();
    }
  }

  /** When the next attempt is due. A change of the Lease may move it. */
  #dueMs(): number {
    if (!this.#tried) return -Infinity;
    const { atMs, pollAfterMs } = this.#tried;
    if (this.#term) return atMs + this.#timing.retryMs;
    const pollMs = Math.max(atMs, this.#view.changedAtMs) + pollAfterMs;
    const endMs = this.#view.heldByOtherUntilMs(this.#options.identity);
    return endMs > atMs ? Math.min(pollMs, endMs + (pollAfterMs % spreadMs)) : pollMs;
  }

  #pause(waitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#options.clock.setTimer(waitMs, resolve);
    this.#wake = () => {
      timer.cancel();
      resolve();
    };
    return promise;
  }

  async #try(): Promise<void> {
    const { clock, random } = this.#options;
    const pollAfterMs = this.#timing.retryMs * (1 + random.next() * pollJitter);
    this.#tried = { atMs: clock.monotonic(), pollAfterMs };
    try {
      await (this.#term ? this.#renew(this.#term) : this.#acquire());
      this.#failures = 0;
    } catch (error) {
      this.#noteFailure(error);
    }
  }

  async #acquire(): Promise<void> {
    const { clock, identity } = this.#options;
    const lease = await this.#store.read(this.#ended.signal);
    if (lease) this.#see(lease, 'read');
    if (this.#stopping.signal.aborted || this.#view.heldByOtherUntilMs(identity) > clock.monotonic()) return;
    await this.#write(lease);
  }

  async #renew({ lease: held }: Term): Promise<void> {
    try {
      await this.#write(held);
    } catch (error) {
      if (!isKubeError(error, 'kube-conflict', 'kube-not-found')) throw error;
      const lease = await this.#store.read(this.#ended.signal);
      const holder = lease?.spec?.holderIdentity ?? '';
      if (holder !== '' && holder !== this.#options.identity) this.#lose(`${holder} took it`);
      // Otherwise the response to our own write was lost, or a user deleted or emptied the Lease.
      else await this.#write(lease);
    }
  }

  /** Makes this replica the holder. Its time counts from before the send. */
  async #write(lease: Lease | undefined): Promise<void> {
    const { clock, identity, log, onAcquired } = this.#options;
    const { signal } = this.#ended;
    if (signal.aborted) return;
    const [sentAtMs, offsetMs] = [clock.monotonic(), wallOffsetMs(clock)];
    const spec = heldSpec(lease, identity, this.#timing.leaseMs, clock.now());
    const stored = lease ? await this.#store.replace(lease, spec, signal) : await this.#store.create(spec, signal);
    this.#see(stored, 'read');
    const leftMs = sentAtMs + this.#timing.renewDeadlineMs - clock.monotonic();
    // Too late: for the waiting replicas the Lease may have expired.
    if (leftMs <= 0 || this.#ended.signal.aborted) return;
    const before = this.#term;
    before?.deadline.cancel();
    const deadline = clock.setTimer(leftMs, () => this.#lose('it was not renewed in time'));
    this.#term = { lease: stored, validUntilMs: sentAtMs + this.#timing.leaseMs, offsetMs, deadline };
    if (before) return;
    log.info({ ...this.#facts(), identity, leaseTransitions: spec.leaseTransitions }, 'leader lease acquired');
    onAcquired();
  }

  #watched(lease: Lease): void {
    if (!this.#see(lease, 'watch')) return;
    const { holder } = this.#view;
    // Released while this replica waits, or taken while it leads.
    const isUrgent = this.#term ? holder !== this.#options.identity : holder === '';
    if (isUrgent) this.#hurry();
    else this.#wake();
  }

  #see(lease: Lease, source: 'read' | 'watch'): boolean {
    const { clock, identity, log } = this.#options;
    const before = this.#view.holder;
    const isNews = this.#view.see(lease, source, clock.monotonic());
    const { holder } = this.#view;
    if (holder !== before && holder !== identity) log.info({ ...this.#facts(), holder }, 'leader lease seen');
    return isNews;
  }

  #hurry(): void {
    this.#tried = undefined;
    this.#wake();
  }

  #lose(detail: string): void {
    if (!this.#end()) return;
    this.#wake();
    this.#options.log.error({ ...this.#facts(), detail }, 'leader lease lost');
    this.#options.onLost();
  }

  /** The term that it ended. This replica never takes the Lease again. */
  #end(): Term | undefined {
    const term = this.#term;
    this.#term = undefined;
    term?.deadline.cancel();
    this.#ended.abort();
    return term;
  }

  async #release(lease: Lease): Promise<void> {
    const { clock, log } = this.#options;
    const late = new AbortController();
    const timer = clock.setTimer(this.#timing.tryDeadlineMs, () => late.abort());
    try {
      await releaseLease(this.#store, lease, () => clock.now(), late.signal);
      log.info(this.#facts(), 'leader lease released');
    } catch (error) {
      log.warn(
        { ...this.#facts(), ...errorFields(error) },
        'leader lease not released, other replicas wait until it expires',
      );
    } finally {
      timer.cancel();
    }
  }

  #noteFailure(error: unknown): void {
    const { log } = this.#options;
    this.#failures++;
    if (this.#stopping.signal.aborted || this.#ended.signal.aborted) return;
    // Two replicas tried at the same moment, and the other one was faster.
    const isRace = this.#failures === 1 && !this.#term && isKubeError(error, 'kube-conflict');
    if (isRace) this.#hurry();
    const facts = { ...this.#facts(), ...errorFields(error), failures: this.#failures };
    if (!isCoded(error)) log.error(facts, 'leader election failed unexpectedly');
    else log[this.#failures === 1 && !isRace ? 'warn' : 'debug'](facts, 'leader lease could not be read or written');
  }

  #facts() {
    const { namespace, name } = this.#options;
    return { kind: 'Lease', namespace, name };
  }
}
