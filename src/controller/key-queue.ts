// Which key is handed out next. The rules, after client-go's workqueue and kube-rs' scheduler: a key stands here at most once; of two
// deadlines the earlier wins; a key that is being worked on is not handed out again until it is done; what is due goes out in the order in
// which it became due, or since when it waits, each urgency in a line of its own. How many are worked on at a time is work-queue.ts's.
import TinyQueue from 'tinyqueue';

import type { Clock, Timer } from '../lib/clock.ts';

/** `edit`: somebody waits for it. `resync`: the initial list, intervals, retries. */
export type Urgency = 'edit' | 'resync';

interface Entry {
  readonly key: string;
  readonly dueMs: number;
  readonly urgency: Urgency;
  readonly isDue: boolean;
  /** Its place in the line; `count` decides between equals. */
  readonly sinceMs: number;
  readonly count: number;
}

export interface QueueOptions {
  readonly urgency: Urgency;
  /** From now; 0 when absent. */
  readonly delayMs?: number | undefined;
  /** Monotonic: since when it waits, where that is before it becomes due. */
  readonly sinceMs?: number | undefined;
}

export class KeyQueue {
  readonly #clock: Clock;
  readonly #onDue: () => void;
  /** The one valid entry of each waiting key; entries elsewhere that are not this one are left-overs. */
  readonly #waiting = new Map<string, Entry>();
  readonly #running = new Set<string>();
  readonly #delayed = new TinyQueue<Entry>([], (a, b) => a.dueMs - b.dueMs);
  readonly #due: Record<Urgency, TinyQueue<Entry>> = { edit: line(), resync: line() };
  #count = 0;
  #timer: Timer | undefined;
  #timerDueMs = Infinity;

  /** `onDue` is called when `next()` may have something to give that it had not before. */
  constructor(options: { clock: Clock; onDue: () => void }) {
    this.#clock = options.clock;
    this.#onDue = options.onDue;
  }

  /** Keys that wait, due or not. Those being worked on count only if they were added again. */
  get size(): number {
    return this.#waiting.size;
  }

  /** Due keys that wait for a worker. */
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

  /** Forgets a waiting key. One that is being worked on finishes. */
  remove(key: string): void {
    this.#waiting.delete(key);
  }

  /** The next due key of that urgency, now counted as running, or undefined. Each must be given back with `done`. */
  next(urgency: Urgency): string | undefined {
    const line = this.#due[urgency];
    for (let entry = line.pop(); entry; entry = line.pop()) {
      // A key that is running stays in #waiting and comes back to the line when it is done.
      if (this.#waiting.get(entry.key) !== entry || this.#running.has(entry.key)) continue;
      this.#waiting.delete(entry.key);
      this.#running.add(entry.key);
      return entry.key;
    }
    return undefined;
  }

  /** Ends the work on a key. If it was added meanwhile it is handed out again when due. */
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

  /** Moves what has become due into its line, and sets the timer for what comes next. */
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
