// The requests of one connection: a token bucket of `burst` that fills at `requestsPerHour`, and the pause that the
// service asked for. Over any hour at most requestsPerHour + burst are granted, exactly. Nothing is counted by object
// or scope here, and how long a busy service is left alone is read elsewhere (retry-after.ts).
import type { Clock, Timer } from '../lib/clock.ts';
import { CodedError } from '../lib/errors.ts';
import { cancelled } from './cancelled.ts';
import { FairQueue, type Priority, type Turn } from './fair-queue.ts';

export interface RateLimits {
  /** Above 0; a fraction is fine. */
  readonly requestsPerHour: number;
  /** Whole, from 1. */
  readonly burst: number;
}

export interface RateLimiterOptions extends RateLimits {
  readonly clock: Clock;
  /**
   * What the bucket holds at the start, at most `burst`. A process that has just started does not know what the one
   * before it spent, so a full bucket would make every restart a burst.
   */
  readonly initialTokens: number;
}

export interface WaitOptions {
  readonly priority: Priority;
  readonly signal: AbortSignal;
  /** Ends the waiting for the rate limiter, and nothing else. */
  readonly waitSignal?: AbortSignal | undefined;
}

/** Tokens that were taken ahead of time, so that a PATCH never starts without the means for its verifying LIST. */
export interface ReservedRequests {
  readonly left: number;
  /** Takes one of them; false when none is left. */
  use(): boolean;
  /** Gives back what is left. Repetition is harmless. */
  release(): void;
}

interface Waiter {
  readonly requests: number;
  readonly grant: (granted: number) => void;
  readonly refuse: (error: CodedError) => void;
}

const hourMs = 3_600_000;
/** A list, a PATCH and its proof. */
const requestsOfOneEdit = 3;
/** What rounding may take away from a sum of many small refills. */
const rounding = 1e-6;

export class RateLimiter {
  readonly #clock: Clock;
  readonly #queue = new FairQueue<Waiter>();
  #limits: RateLimits;
  #tokens: number;
  #settledAtMs: number;
  #timer: Timer | undefined;
  /** On the monotonic clock, so that a step of the wall clock neither ends a pause nor makes it endless. */
  #throttleEndsMs = -Infinity;
  #isStopped = false;

  constructor({ clock, requestsPerHour, burst, initialTokens }: RateLimiterOptions) {
    this.#clock = clock;
    this.#limits = { requestsPerHour, burst };
    this.#tokens = Math.min(initialTokens, burst);
    this.#settledAtMs = clock.monotonic();
  }

  /**
   * Resolves when the requests may be sent, with their number: more than an hour allows at all are never granted at
   * once, and whoever wants more comes back. Throws `service-busy` inside a pause, at once; `stopped` when aborted.
   */
  async acquire(requests: number, options: WaitOptions): Promise<number> {
    this.throwIfThrottled();
    if (this.#isStopped || options.signal.aborted || options.waitSignal?.aborted) throw cancelled();
    const granted = this.#queue.size === 0 ? this.#tryGrant(requests, this.#reserveFor(options.priority)) : 0;
    return granted > 0 ? granted : this.#wait(requests, options);
  }

  /** Like `acquire`, for requests that follow later. */
  async reserve(requests: number, options: WaitOptions): Promise<ReservedRequests> {
    return createReservation(await this.acquire(requests, options), (unused) => this.#giveBack(unused));
  }

  /** Throws `service-busy` with what is left of the pause. For the last moment before a send. */
  throwIfThrottled(): void {
    const leftMs = this.#throttleEndsMs - this.#clock.monotonic();
    if (leftMs > 0) throw busy(leftMs);
  }

  /** Wall time until which nothing is granted; undefined outside a pause. */
  get throttledUntilMs(): number | undefined {
    const leftMs = this.#throttleEndsMs - this.#clock.monotonic();
    return leftMs > 0 ? this.#clock.now() + leftMs : undefined;
  }

  /** Wall time. Refuses whoever waits. An earlier end than the present one changes nothing. */
  throttleUntil(untilMs: number): void {
    const leftMs = untilMs - this.#clock.now();
    this.#throttleEndsMs = Math.max(this.#throttleEndsMs, this.#clock.monotonic() + leftMs);
    if (leftMs > 0) this.#refuseAll(busy(leftMs));
  }

  /** New limits from now on; what the old ones earned is kept, up to the new burst. */
  update(limits: RateLimits): void {
    this.#settle(this.#limits.burst);
    this.#limits = limits;
    this.#tokens = Math.min(this.#tokens, limits.burst);
    this.#grantDue();
  }

  /** Refuses whoever waits and whoever comes. */
  stop(): void {
    this.#isStopped = true;
    this.#refuseAll(cancelled());
  }

  #wait(requests: number, { priority, signal, waitSignal }: WaitOptions): Promise<number> {
    return new Promise((resolve, reject) => {
      const abandon = () => {
        this.#queue.remove(waiter);
        waiter.refuse(cancelled());
        this.#grantDue();
      };
      const settle = () => {
        signal.removeEventListener('abort', abandon);
        waitSignal?.removeEventListener('abort', abandon);
      };
      const waiter: Waiter = {
        requests,
        grant: (granted) => {
          settle();
          resolve(granted);
        },
        refuse: (error) => {
          settle();
          reject(error);
        },
      };
      signal.addEventListener('abort', abandon);
      waitSignal?.addEventListener('abort', abandon);
      this.#queue.add(waiter, priority);
      this.#grantDue();
    });
  }

  /** Grants as many turns as the bucket pays for, then sets the timer for the next one. */
  #grantDue(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    for (let turn = this.#queue.peek(); turn; turn = this.#queue.peek()) {
      const reserve = this.#reserveOf(turn);
      const granted = this.#tryGrant(turn.waiter.requests, reserve);
      if (granted === 0) {
        this.#timer = this.#clock.setTimer(this.#delayUntil(turn.waiter.requests, reserve), () => this.#grantDue());
        return;
      }
      this.#queue.dequeue(turn);
      turn.waiter.grant(granted);
    }
  }

  /** How many were granted: all of them, as far as an hour allows, or none. */
  #tryGrant(requests: number, reserve: number): number {
    const needed = this.#levelFor(requests, reserve);
    this.#settle(Math.max(this.#limits.burst, needed));
    if (this.#tokens + rounding < needed) return 0;
    const granted = this.#grantable(requests);
    this.#tokens = Math.min(this.#tokens, this.#limits.burst) - granted;
    return granted;
  }

  #grantable(requests: number): number {
    return Math.min(requests, Math.floor(this.#limits.requestsPerHour + this.#limits.burst));
  }

  /**
   * How full the bucket must be. Low leaves the reserve, but never waits for more than a full bucket because of it.
   * More requests than the burst wait until the bucket would hold them if it were larger, and then leave a debt behind:
   * only with both does the bound hold for every hour, before and after.
   */
  #levelFor(requests: number, reserve: number): number {
    const granted = this.#grantable(requests);
    return Math.max(granted, Math.min(granted + reserve, this.#limits.burst));
  }

  #reserveOf(turn: Turn<Waiter>): number {
    return turn.isStarving ? 0 : this.#reserveFor(turn.priority);
  }

  /** A quarter of the burst stays for the edits of users, and if it can be what one edit takes. */
  #reserveFor(priority: Priority): number {
    const { burst } = this.#limits;
    return priority === 'high' ? 0 : Math.max(Math.floor(burst / 4), Math.min(requestsOfOneEdit, burst - 1));
  }

  #settle(capacity: number): void {
    const nowMs = this.#clock.monotonic();
    const earned = ((nowMs - this.#settledAtMs) * this.#limits.requestsPerHour) / hourMs;
    this.#tokens = Math.min(this.#tokens + earned, capacity);
    this.#settledAtMs = nowMs;
  }

  #delayUntil(requests: number, reserve: number): number {
    const missing = this.#levelFor(requests, reserve) - this.#tokens;
    return Math.max(1, Math.ceil((missing * hourMs) / this.#limits.requestsPerHour));
  }

  #giveBack(requests: number): void {
    this.#settle(this.#limits.burst);
    this.#tokens = Math.min(this.#tokens + requests, this.#limits.burst);
    this.#grantDue();
  }

  #refuseAll(error: CodedError): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    for (const waiter of this.#queue.drain()) waiter.refuse(error);
  }
}

function createReservation(requests: number, giveBack: (unused: number) => void): ReservedRequests {
  let left = requests;
  return {
    get left() {
      return left;
    },
    use() {
      if (left === 0) return false;
      left -= 1;
      return true;
    },
    release() {
      if (left > 0) giveBack(left);
      left = 0;
    },
  };
}

function busy(leftMs: number): CodedError {
  return new CodedError('service-busy', 'The service asked to be called less often.', { retryAfterMs: leftMs });
}
