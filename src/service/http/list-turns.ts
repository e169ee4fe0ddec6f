// Shares the event loop out among lists: a large page takes milliseconds, so many at once would make every other request wait.
// Small responses cost nothing here. After 4 MiB of large ones, lists wait for the next turn of the event loop, and the caller that
// received the least goes first.
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { CallerName, ServiceResponse } from './message.ts';
import { bodyLengthOf, smallResponseBytes } from './unread-bytes.ts';

/**
 * Bytes of large responses in one turn of the event loop; then other events have theirs. Pages in memory take about a millisecond for
 * each MiB, so a caller with few connections never waits, and one that asks for pages of several MiB has one in each turn.
 */
export const turnBytes = 4 * 1024 * 1024;

/** Lists that read from a database at the same time. */
const concurrentReads = 8;

/** Callers and scopes whose bytes are counted; above this number all of them begin anew. */
const receiversKept = 10_000;

/** A list of a scope. */
export interface ListOf {
  readonly caller: CallerName;
  readonly scope: string;
}

interface WaitingList {
  readonly caller: string;
  readonly scope: string;
  start(): void;
}

export class ListTurns {
  readonly #waiting: WaitingList[] = [];
  /** Large responses that `#received` does not count yet: it need not, while no list waits. */
  #uncounted: { readonly list: ListOf; readonly bytes: number }[] = [];
  /** Bytes of large responses by caller, and by caller and scope, since no list waited or there were too many. */
  readonly #received = new Map<string, number>();
  #turnBytes = 0;
  #reading = 0;
  #isTurnDue = false;

  /** Runs `work` at once or when its turn comes. */
  run(list: ListOf, work: () => MaybePromise<ServiceResponse>): MaybePromise<ServiceResponse> {
    if (this.#waiting.length === 0 && this.#hasRoom()) return this.#start(list, work);
    return new Promise((resolve, reject) => {
      const start = () => {
        try {
          resolve(this.#start(list, work));
        } catch (error) {
          reject(error);
        }
      };
      this.#waiting.push({ caller: callerOf(list), scope: scopeOf(list), start });
    });
  }

  /** Number of callers and scopes whose bytes are counted. */
  get counted(): number {
    return this.#received.size;
  }

  #hasRoom(): boolean {
    return this.#turnBytes < turnBytes && this.#reading < concurrentReads;
  }

  #start(list: ListOf, work: () => MaybePromise<ServiceResponse>): MaybePromise<ServiceResponse> {
    const response = work();
    if (response instanceof Promise) return this.#read(list, response);
    this.#note(list, response);
    return response;
  }

  async #read(list: ListOf, reading: Promise<ServiceResponse>): Promise<ServiceResponse> {
    this.#reading += 1;
    try {
      const response = await reading;
      this.#note(list, response);
      return response;
    } finally {
      this.#reading -= 1;
      if (this.#waiting.length > 0) this.#requestTurn();
    }
  }

  #note(list: ListOf, response: ServiceResponse): void {
    const bytes = bodyLengthOf(response);
    if (bytes <= smallResponseBytes) return;
    this.#turnBytes += bytes;
    this.#uncounted.push({ list, bytes });
    this.#requestTurn();
  }

  #count(): void {
    for (const { list, bytes } of this.#uncounted) {
      for (const key of [callerOf(list), scopeOf(list)]) this.#received.set(key, this.#receivedBy(key) + bytes);
    }
    this.#uncounted = [];
  }

  #forget(): void {
    this.#uncounted = [];
    this.#received.clear();
  }

  #requestTurn(): void {
    if (this.#isTurnDue) return;
    this.#isTurnDue = true;
    void nextTurn().then(() => this.#takeTurn());
  }

  #takeTurn(): void {
    this.#isTurnDue = false;
    this.#turnBytes = 0;
    while (this.#waiting.length > 0 && this.#hasRoom()) this.#takeNext().start();
    const isBusy = this.#waiting.length > 0 || this.#reading > 0;
    if (isBusy) this.#count();
    // Of a service that is never idle, a list may read or wait in every turn.
    if ((!isBusy && this.#turnBytes === 0) || this.#received.size > receiversKept) this.#forget();
  }

  /** Of the caller that received the least, the scope of which it received the least; of equals the first. */
  #takeNext(): WaitingList {
    this.#count();
    const least = this.#waiting.reduce((best, each) => (this.#goesBefore(each, best) ? each : best));
    this.#waiting.splice(this.#waiting.indexOf(least), 1);
    return least;
  }

  #goesBefore(one: WaitingList, other: WaitingList): boolean {
    const more = this.#receivedBy(one.caller) - this.#receivedBy(other.caller);
    return more < 0 || (more === 0 && this.#receivedBy(one.scope) < this.#receivedBy(other.scope));
  }

  #receivedBy(key: string): number {
    return this.#received.get(key) ?? 0;
  }
}

function callerOf({ caller }: ListOf): string {
  return `${caller.class} ${caller.name}`;
}

function scopeOf(list: ListOf): string {
  return `${callerOf(list)} ${list.scope}`;
}
