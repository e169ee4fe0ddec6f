// How many keys of one lane are worked on at a time. A lane is a connection: its limit is the connection's
// `maxConcurrent`, so a slow connection never takes a worker from another.
import type { Clock } from '../lib/clock.ts';
import { KeyQueue, type Turn, type Urgency } from './queue.ts';

export interface LaneOptions {
  readonly clock: Clock;
  readonly maxConcurrent: number;
  /** Works on a key. Must not throw; resolves with the delay until the next look, or undefined when none is due. */
  readonly work: (turn: Turn, signal: AbortSignal) => Promise<number | undefined>;
}

export class Lane {
  readonly #queue: KeyQueue;
  readonly #work: LaneOptions['work'];
  readonly #stopping = new AbortController();
  readonly #active = new Set<Promise<void>>();
  #maxConcurrent: number;
  #isPaused = false;

  constructor(options: LaneOptions) {
    this.#work = options.work;
    this.#maxConcurrent = options.maxConcurrent;
    this.#queue = new KeyQueue({ clock: options.clock, onDue: () => this.#pump() });
  }

  /** Due keys that wait for a worker. */
  get depth(): number {
    return this.#queue.depth;
  }

  /** Keys that are being worked on. */
  get active(): number {
    return this.#active.size;
  }

  add(key: string, urgency: Urgency, delayMs = 0): void {
    if (!this.#isPaused) this.#queue.add(key, { delayMs, urgency });
  }

  remove(key: string): void {
    this.#queue.remove(key);
  }

  setMaxConcurrent(maxConcurrent: number): void {
    this.#maxConcurrent = maxConcurrent;
    this.#pump();
  }

  /** Takes no new keys, waits up to `graceMs` for the running ones, then aborts them and waits for their end. */
  async stop(clock: Clock, graceMs: number): Promise<void> {
    this.#isPaused = true;
    this.#queue.stop();
    const cut = clock.setTimer(graceMs, () => this.#stopping.abort());
    await Promise.all(this.#active);
    cut.cancel();
    this.#stopping.abort();
  }

  #pump(): void {
    while (!this.#isPaused && this.#active.size < this.#maxConcurrent) {
      const turn = this.#queue.next();
      if (!turn) return;
      const running = this.#run(turn);
      this.#active.add(running);
      void running.then(() => {
        this.#active.delete(running);
        this.#pump();
      });
    }
  }

  async #run(turn: Turn): Promise<void> {
    const nextLookMs = await this.#work(turn, this.#stopping.signal);
    this.#queue.done(turn.key);
    if (nextLookMs !== undefined) this.add(turn.key, 'resync', nextLookMs);
  }
}
