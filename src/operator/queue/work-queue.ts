// The workers of one connection's work queue; connections do not share workers, so a slow one cannot block another.
// Edits have workers of their own, so they never wait behind a resync that waits for the rate limiter. The client, not
// the work queue, limits the requests in flight.
import type { Clock } from '../../lib/clock.ts';
import { KeyQueue, type Urgency } from './key-queue.ts';

/** One run of a key. */
export interface WorkItem {
  readonly urgency: Urgency;
  /** Aborts when the run has to end. */
  readonly signal: AbortSignal;
  /**
   * Aborts only the wait for the rate limiter: a user edited the key of this resync, or nothing may be sent. Requests
   * in flight finish.
   */
  readonly waitSignal: AbortSignal;
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Number of workers for each urgency. */
  readonly workers: number;
  /**
   * Handles a key. Never rejects; resolves with the delay until the next run in milliseconds, or undefined for none.
   */
  readonly work: (key: string, item: WorkItem) => Promise<number | undefined>;
}

const urgencies: readonly Urgency[] = ['edit', 'resync'];

export class WorkQueue {
  readonly #clock: Clock;
  /** What waits and what runs. */
  readonly keys: KeyQueue;
  readonly #work: WorkQueueOptions['work'];
  readonly #stopping = new AbortController();
  readonly #neverAborted = new AbortController().signal;
  readonly #active: Record<Urgency, Set<Promise<void>>> = { edit: new Set(), resync: new Set() };
  /** By key of the running resyncs. */
  readonly #waitControllers = new Map<string, AbortController>();
  #workers: number;
  #isOpen = true;
  #isPumpAsked = false;

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock;
    this.#work = options.work;
    this.#workers = options.workers;
    this.keys = new KeyQueue({ clock: options.clock, onDue: () => this.#pumpSoon() });
  }

  /** Number of running keys. */
  get active(): number {
    return this.#active.edit.size + this.#active.resync.size;
  }

  /**
   * An edit aborts the wait of a running resync of the same key. `sinceMs`: since when the key has waited, if that is
   * before it becomes due; monotonic milliseconds.
   */
  add(key: string, urgency: Urgency, delayMs = 0, sinceMs?: number): void {
    if (!this.#isOpen) return;
    this.keys.add(key, { delayMs, sinceMs, urgency });
    if (urgency === 'edit') this.#waitControllers.get(key)?.abort();
  }

  /** A running key waits on until `release`, or until it is added and due. */
  hold(key: string): void {
    this.add(key, 'resync', Infinity, this.keys.sinceOf(key));
  }

  /** Aborts the waits of all resyncs for the rate limiter. */
  abortWaits(): void {
    for (const waitController of this.#waitControllers.values()) waitController.abort();
  }

  setWorkers(workers: number): void {
    this.#workers = workers;
    this.#pump();
  }

  /**
   * Takes no new keys, waits up to `graceMs` for the running ones, then aborts them and waits for their end. Aborts
   * waits for the rate limiter at once.
   */
  async stop(graceMs: number): Promise<void> {
    this.#isOpen = false;
    this.keys.stop();
    this.abortWaits();
    const cut = this.#clock.setTimer(graceMs, () => this.#stopping.abort());
    await Promise.all([...this.#active.edit, ...this.#active.resync]);
    cut.cancel();
    this.#stopping.abort();
  }

  /** Defers to a microtask, so that a key that several events of one tick add runs once. */
  #pumpSoon(): void {
    if (this.#isPumpAsked) return;
    this.#isPumpAsked = true;
    queueMicrotask(() => {
      this.#isPumpAsked = false;
      this.#pump();
    });
  }

  #pump(): void {
    for (const urgency of urgencies) {
      const active = this.#active[urgency];
      while (this.#isOpen && active.size < this.#workers) {
        const key = this.keys.next(urgency);
        if (key === undefined) break;
        const running = this.#run(key, urgency);
        active.add(running);
        void running.then(() => {
          active.delete(running);
          this.#pump();
        });
      }
    }
  }

  /** Nothing but a stop ends the wait of an edit, so edits share a signal. */
  #waitSignalOf(key: string, urgency: Urgency): AbortSignal {
    if (urgency === 'edit') return this.#neverAborted;
    const waitController = new AbortController();
    this.#waitControllers.set(key, waitController);
    return waitController.signal;
  }

  async #run(key: string, urgency: Urgency): Promise<void> {
    const item = { urgency, signal: this.#stopping.signal, waitSignal: this.#waitSignalOf(key, urgency) };
    const nextReconcileMs = await this.#work(key, item);
    this.#waitControllers.delete(key);
    this.keys.done(key);
    if (nextReconcileMs !== undefined) this.add(key, 'resync', nextReconcileMs);
  }
}
