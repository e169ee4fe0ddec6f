// The scopes of one connection that have to be listed: the end of the last attempt on each, since when it waits, which
// scopes fail alone, and which one is next in a trial. circuit-breaker.ts and pause.ts decide what that means for the
// connection.
import type { Random } from '../lib/random.ts';
import type { Ending } from '../plan/failures.ts';
import { FailingScopes } from './failing-scopes.ts';
import { Rounds } from './rounds.ts';

interface Entry {
  ending: Ending | undefined;
  /** Monotonic milliseconds; `-Infinity` for a scope that was never tried. */
  triedMs: number;
  /** Monotonic milliseconds; undefined unless the circuit breaker or a pause blocked it. */
  waitingSinceMs: number | undefined;
}

/** The order of trials: scopes that most likely work come first. */
const trialRanks: Record<Ending | 'untried', number> = {
  listed: 0,
  answered: 1,
  untried: 1,
  garbled: 2,
  busy: 2,
  unusable: 2,
  unreached: 3,
  refused: 3,
};
/** The rank of scopes that were already tried in this round. */
const lastRank = 4;

interface Candidate {
  readonly scope: string;
  readonly rank: number;
  readonly triedMs: number;
}

export class Roster {
  readonly #entries = new Map<string, Entry>();
  readonly rounds = new Rounds();
  readonly #unreached = new FailingScopes();
  readonly #refused = new FailingScopes();
  readonly #busy = new FailingScopes();
  /** Scopes that got 429 again although the service had served others. */
  readonly #throttled = new Set<string>();
  #roundBeganMs = Infinity;

  join(scope: string): void {
    this.rounds.join(scope);
    if (!this.#entries.has(scope)) {
      this.#entries.set(scope, { ending: undefined, triedMs: -Infinity, waitingSinceMs: undefined });
    }
  }

  /** The scope does not need to be listed at present. */
  leave(scope: string): void {
    this.#entries.delete(scope);
    this.rounds.leave(scope);
    this.#unreached.forget(scope);
    this.#refused.forget(scope);
  }

  forget(scope: string): void {
    this.leave(scope);
    this.#busy.forget(scope);
    this.#throttled.delete(scope);
  }

  /** The connection's spec changed, which resets the failures of its scopes. */
  renew(): void {
    for (const failing of [this.#unreached, this.#refused, this.#busy]) failing.clear();
    this.#throttled.clear();
    for (const entry of this.#entries.values()) entry.ending = undefined;
  }

  /** The circuit breaker or a pause blocked the scope. */
  wait(scope: string, nowMs: number): void {
    this.join(scope);
    const entry = this.#entries.get(scope);
    if (entry) entry.waitingSinceMs ??= nowMs;
  }

  waitingSinceMs(scope: string): number | undefined {
    return this.#entries.get(scope)?.waitingSinceMs;
  }

  /** Records the end of an attempt. Call `isAlone` first, because this may change its result. */
  ended(scope: string, ending: Ending, nowMs: number): void {
    this.join(scope);
    this.#entries.set(scope, { ending, triedMs: nowMs, waitingSinceMs: undefined });
    if (ending === 'unreached') this.#unreached.failed(scope);
    else if (ending !== 'unusable') this.#unreached.served(scope);
    if (ending === 'refused') this.#refused.failed(scope);
    if (ending === 'listed' || ending === 'answered') this.#refused.served(scope);
    if (ending === 'busy') this.#noteBusy(scope);
    // A PATCH after the list may still get 429, so a listed scope is not served yet.
    else if ((ending === 'listed' || ending === 'answered') && !this.#busy.has(scope)) this.#busy.served(scope);
  }

  /** A reconcile ended without failure, PATCHes and verification included. */
  completed(scope: string): void {
    this.#busy.served(scope);
    this.#throttled.delete(scope);
  }

  /**
   * True when the scope failed the same way before, the service has served another scope since, and that scope still
   * exists.
   */
  isAlone(scope: string, ending: Ending): boolean {
    const failing = this.#failing(ending);
    return failing !== undefined && failing.isAlone(scope) && this.#entries.size > failing.alone;
  }

  /** Number of scopes that do not fail alone in this way, at least 1. */
  others(ending: Ending): number {
    return Math.max(this.#entries.size - (this.#failing(ending)?.alone ?? 0), 1);
  }

  isThrottled(scope: string): boolean {
    return this.#throttled.has(scope);
  }

  /** True when the last responses to it were 429. */
  isBusy(scope: string): boolean {
    return this.#busy.has(scope);
  }

  /** True while the service answers 429 to a scope, to its list or to a PATCH after it. */
  get isThrottling(): boolean {
    for (const scope of this.#busy.scopes()) {
      const ending = this.#entries.get(scope)?.ending;
      if (ending === 'busy' || ending === 'listed') return true;
    }
    return false;
  }

  /**
   * True unless the service refused the credential on the scope, and neither the credential changed nor the scope was
   * listed since.
   */
  isUnrefused(scope: string): boolean {
    return !this.#refused.has(scope);
  }

  /** True while there is a scope that was not refused. */
  get hasUnrefused(): boolean {
    return this.#entries.size > this.#refused.size;
  }

  /** The credential changed, so earlier refusals no longer count. */
  clearRefusals(): void {
    this.#refused.clear();
  }

  /** From now on every scope has one trial before any scope has its second. */
  beginRound(nowMs: number): void {
    this.#roundBeganMs = nowMs;
  }

  /**
   * The scope for the next trial: of those that most likely work, the one that was not tried for the longest time.
   * Chance decides between equals, so that the names of many failing scopes cannot delay one that works.
   */
  nextTrial(random: Random, isWanted: (scope: string) => boolean = () => true): string | undefined {
    let best: Candidate | undefined;
    let equals = 0;
    for (const [scope, { ending, triedMs }] of this.#entries) {
      if (!isWanted(scope)) continue;
      const rank = triedMs > this.#roundBeganMs ? lastRank : trialRanks[ending ?? 'untried'];
      const candidate = { scope, rank, triedMs };
      const order = best ? inTrialOrder(candidate, best) : -1;
      equals = order < 0 ? 1 : equals + Number(order === 0);
      if (order < 0 || (order === 0 && random.next() * equals < 1)) best = candidate;
    }
    return best?.scope;
  }

  /** The blocked scopes, each with the time when its wait began, and those that failed together with the connection. */
  *held(): Generator<{ scope: string; sinceMs: number | undefined }> {
    for (const [scope, { ending, waitingSinceMs }] of this.#entries) {
      const hasFailed = ending === 'unreached' || ending === 'refused' || ending === 'unusable';
      if (hasFailed || waitingSinceMs !== undefined) yield { scope, sinceMs: waitingSinceMs };
    }
  }

  #noteBusy(scope: string): void {
    if (this.isAlone(scope, 'busy')) this.#throttled.add(scope);
    this.#busy.failed(scope);
  }

  #failing(ending: Ending): FailingScopes | undefined {
    if (ending === 'unreached') return this.#unreached;
    if (ending === 'refused') return this.#refused;
    return ending === 'busy' ? this.#busy : undefined;
  }
}

/** Negative when `a` comes first. */
function inTrialOrder(a: Candidate, b: Candidate): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  return a.triedMs === b.triedMs ? 0 : a.triedMs - b.triedMs;
}
