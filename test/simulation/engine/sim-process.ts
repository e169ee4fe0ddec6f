// One simulated process: its clock, which may be set wrong, and its life. After a kill it never runs again; while it is frozen (SIGSTOP, a
// blocked event loop), what is due waits for it while time continues. Code of a killed process may still settle promises that
// were resolved before, but has no effect.
import type { Clock, Timer } from '../../../src/lib/clock.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Where every run begins: 2026-01-01T00:00:00Z. */
export const startOfTimeMs = Date.UTC(2026, 0, 1);

export class SimProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly #time: VirtualTime;
  readonly #held: (() => void)[] = [];
  readonly #onKill = new Set<() => void>();
  #timers = 0;
  #wallOffsetMs = 0;
  #isFrozen = false;
  #isDead = false;

  constructor(name: string, time: VirtualTime) {
    this.name = name;
    this.#time = time;
    this.clock = {
      now: () => startOfTimeMs + time.nowMs + this.#wallOffsetMs,
      monotonic: () => time.nowMs,
      setTimer: (delayMs, callback) => this.#setTimer(delayMs, callback),
    };
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  /** Timers that were set and neither fired nor cancelled. */
  get openTimers(): number {
    return this.#timers;
  }

  /** A step of its wall clock; monotonic time does not see it. */
  stepWall(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  freeze(): void {
    this.#isFrozen = true;
  }

  /** Runs everything that became due in between, in order, each in a turn of its own. */
  thaw(): void {
    if (!this.#isFrozen) return;
    this.#isFrozen = false;
    for (const run of this.#held.splice(0)) this.#time.schedule(0, () => this.deliver(run));
  }

  kill(): void {
    if (this.#isDead) return;
    this.#isDead = true;
    this.#held.length = 0;
    const listeners = [...this.#onKill];
    this.#onKill.clear();
    for (const notify of listeners) notify();
  }

  /** Returns the function that unsubscribes. */
  onKill(listener: () => void): () => void {
    this.#onKill.add(listener);
    return () => this.#onKill.delete(listener);
  }

  /** Runs an event of the process: now, later, or never. */
  deliver(run: () => void): void {
    if (this.#isDead) return;
    if (this.#isFrozen) this.#held.push(run);
    else run();
  }

  #setTimer(delayMs: number, callback: () => void): Timer {
    let isOpen = !this.#isDead;
    if (isOpen) this.#timers++;
    const close = () => {
      if (isOpen) this.#timers--;
      isOpen = false;
    };
    const fire = () => {
      if (!isOpen) return;
      close();
      callback();
    };
    const scheduled = this.#time.schedule(delayMs, () => this.deliver(fire));
    return {
      cancel() {
        close();
        scheduled.cancel();
      },
    };
  }
}
