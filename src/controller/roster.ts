// The scopes of one connection that have to be listed: how the last attempt on each ended, since when it waits, which of them fail
// alone, and whose turn the next trial is. What that means for the connection is decided in circuit-breaker.ts and pause.ts.
import type { Random } from '../lib/random.ts';
import type { Ending } from '../plan/failures.ts';
import { FailingScopes } from './failing-scopes.ts';

interface Entry {
  ending: Ending | undefined;
  /** Monotonic; before everything else for a scope that was never tried. */
  triedMs: number;
  /** Monotonic; undefined unless the circuit breaker or a pause turned it away. */
  waitingSinceMs: number | undefined;
}

/** Whose turn comes first in a trial: the scopes that most likely work. */
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
/** Those that had their turn in this round. */
const lastRank = 4;

interface Candidate {
  readonly scope: string;
  readonly rank: number;
  readonly triedMs: number;
}

export class Roster {
  readonly #entries = new Map<string, Entry>();
  readonly #unreached = new FailingScopes();
  readonly #refused = new FailingScopes();
  readonly #busy = new FailingScopes();
  /** Scopes that were answered 429 again although the service had served others. */
  readonly #throttled = new Set<string>();
  #roundBeganMs = Infinity;

  join(scope: string): void {
    if (!this.#entries.has(scope)) {
      this.#entries.set(scope, { ending: undefined, triedMs: -Infinity, waitingSinceMs: undefined });
    }
  }

  /** It need not be listed at present. */
  leave(scope: string): void {
    this.#entries.delete(scope);
    this.#unreached.forget(scope);
    this.#refused.forget(scope);
  }

  forget(scope: string): void {
    this.leave(scope);
    this.#busy.forget(scope);
    this.#throttled.delete(scope);
  }

  /** The connection's spec or its credential changed: what was held against its scopes no longer counts. */
  renew(): void {
    for (const failing of [this.#unreached, this.#refused, this.#busy]) failing.clear();
    this.#throttled.clear();
    for (const entry of this.#entries.values()) entry.ending = undefined;
  }

  /** The circuit breaker or a pause turned it away. */
  wait(scope: string, nowMs: number): void {
    this.join(scope);
    const entry = this.#entries.get(scope);
    if (entry) entry.waitingSinceMs ??= nowMs;
  }

  waitingSinceMs(scope: string): number | undefined {
    return this.#entries.get(scope)?.waitingSinceMs;
  }

  /** Ask `isAlone` before: an answer changes it. */
  ended(scope: string, ending: Ending, nowMs: number): void {
    this.join(scope);
    this.#entries.set(scope, { ending, triedMs: nowMs, waitingSinceMs: undefined });
    if (ending === 'unreached') this.#unreached.failed(scope);
    else if (ending !== 'unusable') this.#unreached.served(scope);
    if (ending === 'refused') this.#refused.failed(scope);
    if (ending === 'listed' || ending === 'answered') this.#refused.served(scope);
    if (ending === 'busy') this.#meetBusy(scope);
    // A list may be followed by a PATCH that is answered 429, so what is listed is not yet served.
    else if ((ending === 'listed' || ending === 'answered') && !this.#busy.has(scope)) this.#busy.served(scope);
  }

  /** A reconcile ended without a failure, the PATCHes and their verification included. */
  completed(scope: string): void {
    this.#busy.served(scope);
    this.#throttled.delete(scope);
  }

  /** The scope failed like that before, and since then the service served another one that is still there. */
  isAlone(scope: string, ending: Ending): boolean {
    const failing = this.#failing(ending);
    return failing !== undefined && failing.isAlone(scope) && this.#entries.size > failing.alone;
  }

  /** Scopes that do not fail alone like that, at least 1. */
  others(ending: Ending): number {
    return Math.max(this.#entries.size - (this.#failing(ending)?.alone ?? 0), 1);
  }

  isThrottled(scope: string): boolean {
    return this.#throttled.has(scope);
  }

  /** The last answers to it were 429. */
  isBusy(scope: string): boolean {
    return this.#busy.has(scope);
  }

  /** True for a scope that the service has not refused since the credential was changed or the scope was listed. */
  isUnrefused(scope: string): boolean {
    return !this.#refused.has(scope);
  }

  /** True while some scope was not refused yet. */
  get hasUnrefused(): boolean {
    return this.#entries.size > this.#refused.size;
  }

  /** The credential changed. */
  forgiveRefusals(): void {
    this.#refused.clear();
  }

  /** Every scope gets its turn in the trials from now on before one has its second. */
  beginRound(nowMs: number): void {
    this.#roundBeganMs = nowMs;
  }

  /**
   * Whose turn it is in a trial: of those that most likely work the one that was not tried for longest. Between equals chance decides,
   * so that many failing scopes cannot be named in front of one that works.
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

  /** Those that were turned away with the time since when they wait, and those that failed together with the connection. */
  *held(): Generator<{ scope: string; sinceMs: number | undefined }> {
    for (const [scope, { ending, waitingSinceMs }] of this.#entries) {
      const hasFailed = ending === 'unreached' || ending === 'refused' || ending === 'unusable';
      if (hasFailed || waitingSinceMs !== undefined) yield { scope, sinceMs: waitingSinceMs };
    }
  }

  #meetBusy(scope: string): void {
    if (this.isAlone(scope, 'busy')) this.#throttled.add(scope);
    this.#busy.failed(scope);
  }

  #failing(ending: Ending): FailingScopes | undefined {
    if (ending === 'unreached') return this.#unreached;
    if (ending === 'refused') return this.#refused;
    return ending === 'busy' ? this.#busy : undefined;
  }
}

/** Negative when `a` goes first. */
function inTrialOrder(a: Candidate, b: Candidate): number {
  if (a.rank !== b.rank) return a.rank - b.rank;
  return a.triedMs === b.triedMs ? 0 : a.triedMs - b.triedMs;
}
