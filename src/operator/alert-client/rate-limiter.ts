// The rate limiter of one connection: a token bucket of `burst` tokens that refills at `requestsPerHour`, and the pause that
// the service requested. It grants at most requestsPerHour + burst requests in any hour. It counts neither by object nor by
// scope. classify.ts decides the length of a pause.
import { AlertsError } from '../../alerts/alerts-error.ts';
import type { Clock, Timer } from '../../lib/clock.ts';
import { StoppedError, unlessStopped } from '../../lib/errors.ts';
import { burstForEdits } from '../../policy/burst.ts';
import type { Priority, Reservation, WaitOptions } from './alert-client.ts';

export interface RateLimits {
  /** Greater than 0; fractions are allowed. */
  readonly requestsPerHour: number;
  /** A whole number, at least 1. */
  readonly burst: number;
}

export interface RateLimiterOptions extends RateLimits {
  readonly clock: Clock;
  /**
   * The tokens in the bucket at the start, at most `burst`. A new process does not know how many requests its predecessor
   * sent, so a full bucket would make every restart a burst.
   */
  readonly initialTokens: number;
}

interface Waiter {
  readonly priority: Priority;
  readonly requests: number;
  readonly grant: (granted: number) => void;
  readonly refuse: (error: AlertsError | StoppedError) => void;
}

const hourMs = 3_600_000;
/** High waiters that may overtake before a low one has its turn: resyncs, which end expired dismissals, must not starve behind edits. */
const overtakingLimit = 4;
/** Tolerance for the rounding errors of many small refills. */
const rounding = 1e-6;

export class RateLimiter {
  readonly #clock: Clock;
  /** First come, first served within each priority. */
  readonly #waiting: Readonly<Record<Priority, Set<Waiter>>> = { high: new Set(), low: new Set() };
  /** High waiters that were granted in a row while a low one waited. */
  #overtaken = 0;
  #limits: RateLimits;
  #tokens: number;
  #settledAtMs: number;
  #timer: Timer | undefined;
  /** Monotonic, so that a step of the wall clock neither ends a pause nor makes it endless. */
  #throttleEndsMs = -Infinity;
  #isStopped = false;

  constructor({ clock, requestsPerHour, burst, initialTokens }: RateLimiterOptions) {
    this.#clock = clock;
    this.#limits = { requestsPerHour, burst };
    this.#tokens = Math.min(initialTokens, burst);
    this.#settledAtMs = clock.monotonic();
  }

  /**
   * Resolves with the number of granted requests once they may be sent. A caller that asks for more than the limit of an
   * hour receives fewer and has to ask again. Throws `service-busy` at once during a pause; `stopped` when aborted.
   */
  async acquire(requests: number, options: WaitOptions): Promise<number> {
    this.throwIfThrottled();
    if (this.#isStopped || options.signal.aborted || options.waitSignal?.aborted) throw new StoppedError();
    const granted = this.#nextTurn() ? 0 : this.#tryGrant(requests, this.#headroomFor(options.priority));
    return granted > 0 ? granted : this.#wait(requests, options);
  }

  /** Like `acquire`, for later requests. */
  async reserve(requests: number, options: WaitOptions): Promise<Reservation> {
    return createReservation(await this.acquire(requests, options), (unused) => this.#giveBack(unused));
  }

  /** Throws `service-busy` with the rest of the pause. Call it immediately before a send. */
  throwIfThrottled(): void {
    const leftMs = this.#throttleEndsMs - this.#clock.monotonic();
    if (leftMs > 0) throw busy(leftMs);
  }

  /** Rejects every waiter. Never shortens a pause. */
  throttleFor(leftMs: number): void {
    this.#throttleEndsMs = Math.max(this.#throttleEndsMs, this.#clock.monotonic() + leftMs);
    if (leftMs > 0) this.#refuseAll(busy(leftMs));
  }

  /** Changes the limits. Keeps the tokens in the bucket, up to the new burst. */
  update(limits: RateLimits): void {
    this.#settle(this.#limits.burst);
    this.#limits = limits;
    this.#tokens = Math.min(this.#tokens, limits.burst);
    this.#grantDue();
  }

  /** Rejects every waiter and every later call. */
  stop(): void {
    this.#isStopped = true;
    this.#refuseAll(new StoppedError());
  }

  async #wait(requests: number, { priority, signal, waitSignal = signal }: WaitOptions): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const waiter: Waiter = { priority, requests, grant: resolve, refuse: reject };
    this.#waiting[priority].add(waiter);
    this.#grantDue();
    try {
      return await unlessStopped(unlessStopped(promise, waitSignal), signal);
    } catch (error) {
      this.#waiting[priority].delete(waiter);
      // The grant of a caller that has left in the same tick.
      promise.then(
        (granted) => this.#giveBack(granted),
        () => undefined,
      );
      this.#grantDue();
      throw error;
    }
  }

  /** Grants as many turns as the bucket has tokens for, then sets the timer for the next one. */
  #grantDue(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    for (let turn = this.#nextTurn(); turn; turn = this.#nextTurn()) {
      const { waiter, headroom } = turn;
      const granted = this.#tryGrant(waiter.requests, headroom);
      if (granted === 0) {
        this.#timer = this.#clock.setTimer(this.#delayUntil(waiter.requests, headroom), () => this.#grantDue());
        return;
      }
      const isOvertaking = waiter.priority === 'high' && this.#waiting.low.size > 0;
      this.#overtaken = isOvertaking ? this.#overtaken + 1 : 0;
      this.#waiting[waiter.priority].delete(waiter);
      waiter.grant(granted);
    }
  }

  #nextTurn(): { readonly waiter: Waiter; readonly headroom: number } | undefined {
    const [high] = this.#waiting.high;
    const [low] = this.#waiting.low;
    if (high && !(low && this.#overtaken >= overtakingLimit)) return { waiter: high, headroom: 0 };
    return low && { waiter: low, headroom: this.#headroomFor(high ? 'high' : 'low') };
  }

  /** Returns the number of granted requests: all of them, up to the limit of an hour, or none. */
  #tryGrant(requests: number, headroom: number): number {
    const needed = this.#levelFor(requests, headroom);
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
   * The tokens that the bucket must hold. Low priority leaves the headroom, but never waits for more than a full bucket because
   * of it. More requests than the burst wait until a larger bucket would hold them, and then leave a debt: only with both
   * does the limit hold for every hour, before and after.
   */
  #levelFor(requests: number, headroom: number): number {
    const granted = this.#grantable(requests);
    return Math.max(granted, Math.min(granted + headroom, this.#limits.burst));
  }

  #headroomFor(priority: Priority): number {
    return priority === 'high' ? 0 : burstForEdits(this.#limits.burst);
  }

  #settle(capacity: number): void {
    const nowMs = this.#clock.monotonic();
    const earned = ((nowMs - this.#settledAtMs) * this.#limits.requestsPerHour) / hourMs;
    this.#tokens = Math.min(this.#tokens + earned, capacity);
    this.#settledAtMs = nowMs;
  }

  #delayUntil(requests: number, headroom: number): number {
    const missing = this.#levelFor(requests, headroom) - this.#tokens;
    return Math.max(1, Math.ceil((missing * hourMs) / this.#limits.requestsPerHour));
  }

  #giveBack(requests: number): void {
    this.#settle(this.#limits.burst);
    this.#tokens = Math.min(this.#tokens + requests, this.#limits.burst);
    this.#grantDue();
  }

  #refuseAll(error: AlertsError | StoppedError): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const waiters = [...this.#waiting.high, ...this.#waiting.low];
    this.#waiting.high.clear();
    this.#waiting.low.clear();
    for (const waiter of waiters) waiter.refuse(error);
  }
}

function busy(leftMs: number): AlertsError {
  return new AlertsError('service-busy', 'The service is throttling requests.', { retryAfterMs: leftMs });
}

/** `giveBack` receives the number of unused requests, at most once. */
function createReservation(requests: number, giveBack: (unused: number) => void): Reservation {
  let left = requests;
  return {
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
