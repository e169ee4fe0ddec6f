// How many keys of one work queue are worked on at a time. A work queue is a connection's, so a slow one never takes a worker from
// another. Edits have workers of their own: what somebody waits for never stands behind a resync that waits for the rate limiter.
// How many requests are in flight is limited by the client, not here.
import type { Clock } from '../lib/clock.ts';
import { KeyQueue, type Urgency } from './key-queue.ts';

/** One time that a key is worked on. */
export interface WorkItem {
  readonly urgency: Urgency;
  /** Aborts when everything has to end. */
  readonly signal: AbortSignal;
  /**
   * Aborts when there is no use any more in waiting for the rate limiter: somebody edited what this resync is about, or nothing may be
   * sent. What is under way is finished.
   */
  readonly waitSignal: AbortSignal;
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Workers for each urgency. */
  readonly workers: number;
  /** Works on a key. Never rejects; resolves with the delay until the next reconcile, or undefined when none is due. */
  readonly work: (key: string, item: WorkItem) => Promise<number | undefined>;
}

const urgencies: readonly Urgency[] = ['edit', 'resync'];

export class WorkQueue {
  readonly #clock: Clock;
  readonly #queue: KeyQueue;
  readonly #work: WorkQueueOptions['work'];
  readonly #stopping = new AbortController();
  readonly #active: Record<Urgency, Set<Promise<void>>> = { edit: new Set(), resync: new Set() };
  /** Of the keys that are worked on as a resync. */
  readonly #waitControllers = new Map<string, AbortController>();
  #workers: number;
  #isOpen = true;
  #isPumpAsked = false;

  constructor(options: WorkQueueOptions) {
    this.#clock = options.clock;
    this.#work = options.work;
    this.#workers = options.workers;
    this.#queue = new KeyQueue({ clock: options.clock, onDue: () => this.#pumpSoon() });
  }

  /** Due keys that wait for a worker. */
  get depth(): number {
    return this.#queue.depth;
  }

  /** Keys that are being worked on. */
  get active(): number {
    return this.#active.edit.size + this.#active.resync.size;
  }

  /**
   * A resync of a key that is edited now gives way, so that the edit is not kept waiting by it. `sinceMs`: monotonic, since when it waits
   * where that is before it becomes due.
   */
  add(key: string, urgency: Urgency, delayMs = 0, sinceMs?: number): void {
    if (!this.#isOpen) return;
    this.#queue.add(key, { delayMs, sinceMs, urgency });
    if (urgency === 'edit') this.#waitControllers.get(key)?.abort();
  }

  /** Resyncs that wait for the rate limiter stop waiting. */
  abortWaits(): void {
    for (const waitController of this.#waitControllers.values()) waitController.abort();
  }

  remove(key: string): void {
    this.#queue.remove(key);
  }

  setWorkers(workers: number): void {
    this.#workers = workers;
    this.#pump();
  }

  /**
   * Takes no new keys, waits up to `graceMs` for the running ones, then aborts them and waits for their end. A resync that waits for
   * the rate limiter has begun nothing that has to be finished.
   */
  async stop(graceMs: number): Promise<void> {
    this.#isOpen = false;
    this.#queue.stop();
    this.abortWaits();
    const cut = this.#clock.setTimer(graceMs, () => this.#stopping.abort());
    await Promise.all([...this.#active.edit, ...this.#active.resync]);
    cut.cancel();
    this.#stopping.abort();
  }

  /** After the current run of code, so that a key that several events of one moment touch is worked on once. */
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
        const key = this.#queue.next(urgency);
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

  async #run(key: string, urgency: Urgency): Promise<void> {
    const waitController = new AbortController();
    if (urgency === 'resync') this.#waitControllers.set(key, waitController);
    const item = { urgency, signal: this.#stopping.signal, waitSignal: waitController.signal };
    const nextReconcileMs = await this.#work(key, item);
    this.#waitControllers.delete(key);
    this.#queue.done(key);
    if (nextReconcileMs !== undefined) this.add(key, 'resync', nextReconcileMs);
  }
}
