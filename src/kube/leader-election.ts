// Elects a leader among the replicas: the holder of the Lease, after client-go's leaderelection.go, with two differences. The
// holder counts its time from before it sends a renewal, the others from after they see it, so that two terms never overlap.
// And the others watch the Lease, so that they notice a release at once. A replica leads at most once: after a loss it ends.
import { sleptMs, type Timer, wallOffsetMs } from '../lib/clock.ts';
import { errorFields, isCoded } from '../lib/errors.ts';
import { type ElectionTiming, defaultTiming, type LeaderElectionOptions } from './election-options.ts';
import { isKubeError } from './kube-error.ts';
import { LeaseView } from './lease-view.ts';
import {
  createLeaseStore,
  heldSpec,
  type Lease,
  leaseResource,
  type LeaseSpec,
  type LeaseStore,
  releaseLease,
} from './lease.ts';
import { createReflector, type Reflector } from './reflector.ts';

/** Spreads the attempts of the replicas that wait for the end of a Lease. */
const spreadMs = 500;
const pollJitter = 0.2;

type Phase = 'waiting' | 'holding' | 'over';

export class LeaderElection {
  readonly #options: LeaderElectionOptions;
  readonly #timing: ElectionTiming;
  readonly #store: LeaseStore;
  readonly #watch: Reflector<Lease>;
  readonly #view: LeaseView;
  readonly #stopping = new AbortController();
  /** Aborts the request in flight when the Lease is lost. */
  readonly #ended = new AbortController();
  #phase: Phase = 'waiting';
  #running: Promise<void> | undefined;
  /** The Lease as this replica last wrote it. */
  #held: Lease | undefined;
  #validUntilMs = -Infinity;
  /** `wallOffsetMs` when the Lease was written. */
  #offsetMs = 0;
  #deadline: Timer | undefined;
  #triedAtMs = -Infinity;
  #pollAfterMs = 0;
  #failures = 0;
  #isUrgent = true;
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
        onSynced: () => undefined,
      },
    });
  }

  /** The time during which no other replica can hold the Lease; 0 unless this replica holds it. */
  get leftMs(): number {
    if (this.#phase !== 'holding') return 0;
    const { clock } = this.#options;
    return Math.max(this.#validUntilMs - clock.monotonic() - sleptMs(clock, this.#offsetMs), 0);
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
    if (this.#phase === 'holding') await this.#release();
    this.#phase = 'over';
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted && this.#phase !== 'over') {
      const waitMs = this.#dueMs() - this.#options.clock.monotonic();
      if (waitMs > 0) await this.#pause(waitMs);
      else await this.#try();
    }
  }

  /** When the next attempt is due. A change of the Lease may move it. */
  #dueMs(): number {
    if (this.#isUrgent) return -Infinity;
    if (this.#phase === 'holding') return this.#triedAtMs + this.#timing.retryMs;
    const pollMs = Math.max(this.#triedAtMs, this.#view.changedAtMs) + this.#pollAfterMs;
    const endMs = this.#view.heldByOtherUntilMs(this.#options.identity);
    return endMs > this.#triedAtMs ? Math.min(pollMs, endMs + (this.#pollAfterMs % spreadMs)) : pollMs;
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
    this.#isUrgent = false;
    this.#triedAtMs = clock.monotonic();
    this.#pollAfterMs = this.#timing.retryMs * (1 + random.next() * pollJitter);
    try {
      await (this.#phase === 'holding' ? this.#renew() : this.#acquire());
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

  async #renew(): Promise<void> {
    try {
      await this.#write(this.#held);
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
    if (this.#phase === 'over') return;
    const { clock } = this.#options;
    const [sentAtMs, offsetMs] = [clock.monotonic(), wallOffsetMs(clock)];
    const spec = heldSpec(lease, this.#options.identity, this.#timing.leaseMs, clock.now());
    const { signal } = this.#ended;
    const stored = lease ? await this.#store.replace(lease, spec, signal) : await this.#store.create(spec, signal);
    this.#held = stored;
    this.#see(stored, 'read');
    this.#offsetMs = offsetMs;
    this.#holdFrom(sentAtMs, spec);
  }

  #holdFrom(sentAtMs: number, { leaseTransitions }: LeaseSpec): void {
    const { clock, identity, log, onAcquired } = this.#options;
    const deadlineMs = sentAtMs + this.#timing.renewDeadlineMs - clock.monotonic();
    // Too late: for the waiting replicas the Lease may have expired.
    if (deadlineMs <= 0 || this.#phase === 'over') return;
    this.#validUntilMs = sentAtMs + this.#timing.leaseMs;
    this.#deadline?.cancel();
    this.#deadline = clock.setTimer(deadlineMs, () => this.#lose('it was not renewed in time'));
    if (this.#phase === 'holding') return;
    this.#phase = 'holding';
    log.info({ ...this.#facts(), identity, leaseTransitions }, 'leader lease acquired');
    onAcquired();
  }

  #watched(lease: Lease): void {
    if (!this.#see(lease, 'watch')) return;
    const { holder } = this.#view;
    // Released while this replica waits, or taken while it leads.
    const isUrgent = this.#phase === 'waiting' ? holder === '' : holder !== this.#options.identity;
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
    this.#isUrgent = true;
    this.#wake();
  }

  #lose(detail: string): void {
    if (this.#phase !== 'holding') return;
    this.#phase = 'over';
    this.#deadline?.cancel();
    this.#ended.abort();
    this.#wake();
    this.#options.log.error({ ...this.#facts(), detail }, 'leader lease lost');
    this.#options.onLost();
  }

  async #release(): Promise<void> {
    const { clock, log } = this.#options;
    this.#phase = 'over';
    this.#deadline?.cancel();
    const late = new AbortController();
    const timer = clock.setTimer(this.#timing.tryDeadlineMs, () => late.abort());
    try {
      if (this.#held) await releaseLease(this.#store, this.#held, () => clock.now(), late.signal);
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
    if (this.#stopping.signal.aborted || this.#phase === 'over') return;
    // Two replicas tried at the same moment, and the other one was faster.
    const isRace = this.#failures === 1 && this.#phase === 'waiting' && isKubeError(error, 'kube-conflict');
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
