// A queue of keys, after client-go's work queue and kube-rs' scheduler: a key is in the queue at most once; of two
// deadlines the earlier wins; a key in progress is not handed out again before it is done; due keys are handed out in
// the order of their waiting times, separately for each urgency. work-queue.ts limits the number of workers.
import TinyQueue from 'tinyqueue';

import type { Clock, Timer } from '../../lib/clock.ts';

/** `edit`: a user's change, or a trial. `resync`: the initial list, intervals and retries. */
export type Urgency = 'edit' | 'resync';

interface Entry {
  readonly key: string;
  readonly dueMs: number;
  readonly urgency: Urgency;
  readonly isDue: boolean;
  /** Its place in the queue; `count` decides between equals. */
  readonly sinceMs: number;
  readonly count: number;
}

export interface QueueOptions {
  readonly urgency: Urgency;
  /** From now, in milliseconds; 0 by default. */
  readonly delayMs?: number | undefined;
  /** Since when it has waited, if that is before it becomes due; monotonic milliseconds. */
  readonly sinceMs?: number | undefined;
}

export class KeyQueue {
  readonly #clock: Clock;
  readonly #onDue: () => void;
  /** The valid entry of each waiting key; other entries for the key are stale. */
  readonly #waiting = new Map<string, Entry>();
  /** The keys in progress, each with its place in the queue until then. */
  readonly #running = new Map<string, number>();
  readonly #delayed = new TinyQueue<Entry>([], (a, b) => a.dueMs - b.dueMs);
  readonly #due: Record<Urgency, TinyQueue<Entry>> = { edit: line(), resync: line() };
  #count = 0;
  #timer: Timer | undefined;
  #timerDueMs = Infinity;

  /** `onDue` is called when `next()` may have a new key. */
  constructor(options: { clock: Clock; onDue: () => void }) {
    this.#clock = options.clock;
    this.#onDue = options.onDue;
  }

  /** Number of due keys that wait for a worker. */
  get depth(): number {
    let depth = 0;
    for (const entry of this.#waiting.values()) if (entry.isDue) depth++;
    return depth;
  }

  add(key: string, options: QueueOptions): void {
    const dueMs = this.#clock.monotonic() + Math.max(options.delayMs ?? 0, 0);
    const present = this.#waiting.get(key);
    const urgency = present?.urgency === 'edit' ? 'edit' : options.urgency;
    const sinceMs = Math.min(options.sinceMs ?? dueMs, present?.sinceMs ?? Infinity);
    if (present && present.dueMs <= dueMs && present.urgency === urgency && present.sinceMs <= sinceMs) return;
    this.#put({ key, dueMs: Math.min(dueMs, present?.dueMs ?? Infinity), urgency, sinceMs });
    this.#settle();
  }

  /** The next due key of that urgency, which is then in progress until `done`; undefined without one. */
  next(urgency: Urgency): string | undefined {
    const line = this.#due[urgency];
    for (let entry = line.pop(); entry; entry = line.pop()) {
      // A key in progress stays in #waiting; `done` puts it back.
      if (this.#waiting.get(entry.key) !== entry || this.#running.has(entry.key)) continue;
      this.#waiting.delete(entry.key);
      this.#running.set(entry.key, entry.sinceMs);
      return entry.key;
    }
    return undefined;
  }

  /** Since when a key in progress has waited; monotonic milliseconds. */
  sinceOf(key: string): number | undefined {
    return this.#running.get(key);
  }

  /** The key in progress has had its turn, so it waits anew. */
  moveBack(key: string, sinceMs: number): void {
    if (this.#running.has(key)) this.#running.set(key, sinceMs);
  }

  /** Makes every key due whose wait has begun, the longest wait first. */
  release(): void {
    const nowMs = this.#clock.monotonic();
    for (const entry of this.#waiting.values())
      if (!entry.isDue && entry.sinceMs <= nowMs) this.#put({ ...entry, dueMs: nowMs });
    this.#settle();
  }

  /** Ends the progress of a key. If it was added meanwhile, it is handed out again when due. */
  done(key: string): void {
    if (!this.#running.delete(key)) return;
    const again = this.#waiting.get(key);
    if (again?.isDue) this.#put(again);
    this.#settle();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#waiting.clear();
  }

  #put({ key, dueMs, urgency, sinceMs }: Omit<Entry, 'isDue' | 'count'>): void {
    const isDue = dueMs <= this.#clock.monotonic();
    const entry: Entry = { key, dueMs, urgency, sinceMs, isDue, count: this.#count++ };
    this.#waiting.set(key, entry);
    if (isDue) this.#due[urgency].push(entry);
    else this.#delayed.push(entry);
  }

  /** Moves due entries into their queue and sets the timer for the next one. */
  #settle(): void {
    const nowMs = this.#clock.monotonic();
    for (let entry = this.#delayed.peek(); entry; entry = this.#delayed.peek()) {
      const isCurrent = this.#waiting.get(entry.key) === entry;
      if (isCurrent && entry.dueMs > nowMs) break;
      this.#delayed.pop();
      if (isCurrent) this.#put(entry);
    }
    this.#schedule(this.#delayed.peek()?.dueMs ?? Infinity, nowMs);
    if (this.#due.edit.length > 0 || this.#due.resync.length > 0) this.#onDue();
  }

  #schedule(dueMs: number, nowMs: number): void {
    if (dueMs === this.#timerDueMs) return;
    this.#timer?.cancel();
    this.#timerDueMs = dueMs;
    if (dueMs === Infinity) return;
    this.#timer = this.#clock.setTimer(dueMs - nowMs, () => {
      this.#timerDueMs = Infinity;
      this.#settle();
    });
  }
}

function line(): TinyQueue<Entry> {
  return new TinyQueue<Entry>([], (a, b) => a.sinceMs - b.sinceMs || a.count - b.count);
}
