// What follows from how the attempts on a connection's scopes end: its health, the trials of a connection that fails and their times, and
// which scopes are reconciled once it works.
import { beforeEach, describe, expect, it } from 'vitest';

import { isUndecided } from '../../../src/controller/breaker.ts';
import { ConnectionHealth } from '../../../src/controller/connection-health.ts';
import { ConnectionRuntime } from '../../../src/controller/connection-runtime.ts';
import { StoppedError } from '../../../src/lib/errors.ts';
import { silentLogger } from '../../../src/lib/log.ts';
import { endingOf, failureOf, type ReconcileFailure, shownFailure } from '../../../src/plan/failures.ts';
import { errorOf, type ErrorCode } from '../../support/builders/errors.ts';
import { connection, minuteMs } from '../../support/builders/objects.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';

const second = 1000;
const intervalMs = 15 * minuteMs;

class Rig {
  readonly clock = new ManualClock();
  /** What the work queue was asked for: `SCOPE URGENCY AT SINCE`, or `no longer awaited`. */
  readonly asked: string[] = [];
  readonly events: string[] = [];
  readonly seen: string[] = [];
  /** When the Secret was read. */
  readonly reads: number[] = [];
  refreshed = 0;
  /** Number of completed rounds. */
  rounds = 0;
  /** Of `next()`: 0.5 moves no delay. */
  random = 0.5;
  isCurrent = true;
  hasNewCredential = false;
  readCredential: (signal: AbortSignal) => Promise<boolean> = async () => this.hasNewCredential;
  readonly runtime: ConnectionRuntime;
  readonly #health: ConnectionHealth;
  #isThere = true;

  constructor(...scopes: string[]) {
    const workQueue = {
      add: (scope: string, urgency: string, delayMs = 0, sinceMs?: number) =>
        this.asked.push(`${scope} ${urgency} ${this.clock.monotonic() + delayMs} ${sinceMs ?? ''}`.trim()),
      abortWaits: () => this.asked.push('called back'),
    };
    const client = {
      credentialChanged: (signal: AbortSignal) => {
        this.reads.push(this.clock.monotonic());
        return this.readCredential(signal);
      },
    };
    const statusWriter = { refresh: () => (this.refreshed += 1), refreshSoon: () => undefined };
    const { clock } = this;
    const clientFactory = { open: () => client };
    this.runtime = new ConnectionRuntime({ key: 'team/prod', workQueue, statusWriter, clientFactory, clock } as never);
    this.runtime.client(connection());
    for (const scope of scopes) this.runtime.roster.join(scope);
    this.#health = new ConnectionHealth({
      cluster: { connections: { get: () => (this.#isThere ? connection() : undefined) } } as never,
      events: {
        record: ({ regarding, type, reason }) =>
          void this.events.push(`${type} ${reason} ${regarding.namespace}/${regarding.name} ${regarding.uid}`),
      },
      observer: {
        connectionSeen: (key: string, health: string, failure: ReconcileFailure | undefined) =>
          this.seen.push(`${key} ${health} ${failure?.reason ?? ''}`.trim()),
        roundCompleted: () => (this.rounds += 1),
      } as never,
      clock,
      random: { next: () => this.random },
      log: silentLogger,
      isCurrent: () => this.isCurrent,
    });
  }

  /** Without a code the scope was listed. */
  ended(scope: string, code?: ErrorCode, retryAfterMs?: number): ReconcileFailure | undefined {
    const failure = code && failureOf(errorOf(code, 'made to fail'));
    const isAlone = this.runtime.roster.isAlone(scope, endingOf(failure));
    this.#health.note(this.runtime, scope, { failure, intervalMs, retryAfterMs });
    return failure && shownFailure(failure, isAlone);
  }

  /** When trials are made within that time, each ending with the code. */
  async trials(forMs: number, code: ErrorCode): Promise<number[]> {
    const times: number[] = [];
    const endMs = this.clock.monotonic() + forMs;
    while (this.clock.monotonic() < endMs) {
      const { length } = this.asked;
      await this.clock.advance(Math.min(this.clock.nextTimerMs ?? forMs, endMs - this.clock.monotonic()));
      for (const trial of this.asked.slice(length)) {
        times.push(Math.floor(this.clock.monotonic()));
        this.ended(trial.split(' ')[0] ?? '', code);
      }
    }
    return times;
  }

  remove(): void {
    this.#isThere = false;
  }
}

const gapsOf = (times: readonly number[]) => times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));

let rig: Rig;

/** One of one scope whose circuit is open. */
function unreachable(...others: string[]): Rig {
  rig = new Rig('a', ...others);
  for (let count = 0; count < 5; count++) for (const scope of ['a', ...others]) rig.ended(scope, 'service-unreachable');
  rig.asked.length = 0;
  return rig;
}

describe('a round over the scopes', () => {
  it('needs an answer for each, whatever it says', () => {
    rig = new Rig('a', 'b', 'c', 'd');
    rig.ended('a');
    rig.ended('b', 'scope-not-found');
    rig.ended('c', 'service-protocol');
    for (const code of ['service-unreachable', 'credential-missing', 'service-busy'] as const) rig.ended('d', code, 1);
    expect(rig.rounds).toBe(0);
    rig.ended('d');
    expect(rig.rounds).toBe(1);
  });

  it('does not wait for a scope that fails alone', () => {
    rig = new Rig('a', 'b');
    rig.ended('a');
    rig.ended('b', 'service-unreachable');
    rig.ended('a');
    expect(rig.rounds).toBe(0);
    rig.ended('b', 'service-unreachable');
    expect(rig.rounds).toBe(1);
  });
});

describe('an open circuit', () => {
  it('calls back once what waits for the rate limiter, and tries one scope at a time', async () => {
    rig = new Rig('a');
    for (let count = 0; count < 5; count++) rig.ended('a', 'service-unreachable');
    expect([rig.runtime.breaker.state === 'Closed', rig.asked]).toEqual([false, ['called back']]);
    await rig.clock.advance(16 * second);
    expect(rig.asked).toEqual(['called back', 'a edit 16000']);
    rig.ended('a', 'service-unreachable');
    expect(rig.asked).toHaveLength(2);
  });

  it.each<[number, number]>([
    [0, 0.8],
    [0.5, 1],
    [0.75, 1.1],
  ])('is tried after 16 s, 32 s … up to 5 min, a fifth more or less (%f: × %f)', async (random, factor) => {
    rig = new Rig('a');
    rig.random = random;
    for (let count = 0; count < 5; count++) rig.ended('a', 'service-unreachable');
    const times = await rig.trials(30 * minuteMs, 'service-unreachable');
    const expected = [16, 32, 64, 128, 256, 300, 300].map((each) => each * second * factor);
    expect(times.length).toBeGreaterThanOrEqual(expected.length);
    for (const [index, gap] of gapsOf([0, ...times])
      .slice(0, 7)
      .entries())
      expect(gap).toBeCloseTo(expected[index] ?? 0, 5);
  });

  it('plans the next trial in case that one never ends: after 30 s, or as long as it waited', async () => {
    unreachable();
    await rig.clock.advance(16 * second);
    expect([rig.asked.length, rig.clock.nextTimerMs]).toEqual([1, 30 * second]);
    rig.ended('a', 'service-unreachable');
    await rig.clock.advance(32 * second);
    expect([rig.asked.length, rig.clock.nextTimerMs]).toEqual([2, 32 * second]);
  });

  it('is not retried by an attempt that was in progress', async () => {
    unreachable();
    await rig.clock.advance(10 * second);
    rig.ended('a', 'service-unreachable');
    expect(rig.clock.nextTimerMs).toBe(6 * second);
  });

  it('reads no Secret before a trial', async () => {
    unreachable();
    await rig.trials(minuteMs, 'service-unreachable');
    expect(rig.reads).toEqual([]);
  });

  it('closes with a response: every other scope that waits or failed is reconciled, the longest wait first', () => {
    unreachable('b');
    rig.runtime.roster.wait('c', 7);
    rig.runtime.roster.wait('a', 8);
    rig.clock.jump(minuteMs);
    rig.ended('a');
    expect(rig.runtime.breaker.state === 'Closed').toBe(true);
    expect(rig.asked).toEqual(['b resync 60000', 'c resync 60000 7']);
  });

  it('closes with a 401 on one of several scopes, which is not reconciled again with the others', () => {
    unreachable('b', 'c');
    rig.ended('a', 'service-denied');
    expect(isUndecided(rig.runtime.breaker)).toBe(true);
    expect(rig.asked).toEqual(['b resync 0', 'c resync 0']);
  });

  it('is tried no more once the runtime has ended, or it has closed', async () => {
    unreachable();
    rig.isCurrent = false;
    await rig.clock.advance(minuteMs);
    expect([rig.asked, rig.clock.pendingTimers]).toEqual([[], 0]);
    unreachable();
    rig.ended('a');
    await rig.clock.advance(minuteMs);
    expect([rig.asked, rig.clock.pendingTimers]).toEqual([[], 0]);
  });

  it('is planned again, and no scope tried, while there is none', async () => {
    unreachable();
    rig.runtime.stopListing('a');
    await rig.clock.advance(minuteMs);
    expect([rig.asked, rig.clock.pendingTimers]).toEqual([[], 1]);
  });
});

describe('a credential that was refused', () => {
  const refused = () => {
    rig = new Rig('a');
    rig.ended('a', 'service-denied');
    rig.asked.length = 0;
  };

  it('is read again every 30 s, and tried as soon as it is another one', async () => {
    refused();
    await rig.clock.advance(5 * minuteMs);
    expect(rig.reads.slice(0, 3)).toEqual([30, 60, 90].map((each) => each * second));
    expect([rig.asked, rig.reads.length]).toEqual([[], 10]);
    rig.hasNewCredential = true;
    await rig.clock.advance(30 * second);
    expect(rig.asked).toEqual(['a edit 330000']);
  });

  it('that did not change is tried after an hour where no scope is left', async () => {
    refused();
    const times = await rig.trials(200 * minuteMs, 'service-denied');
    expect(gapsOf([0, ...times])).toEqual([60, 60, 60].map((each) => each * minuteMs));
  });

  it('that did not change is tried on one scope after another, after 30 s, 1 min … up to 5 min', async () => {
    const scopes = Array.from({ length: 12 }, (_, index) => `s${index}`);
    rig = new Rig(...scopes);
    rig.ended('s0', 'service-denied');
    rig.ended('s1', 'service-denied');
    rig.asked.length = 0;
    const times = await rig.trials(40 * minuteMs, 'service-denied');
    const gaps = gapsOf([0, ...times]).slice(0, 8);
    expect(gaps).toEqual([30, 60, 120, 240, 300, 300, 300, 300].map((each) => each * second));
    const tried = rig.asked.map((each) => each.split(' ')[0]);
    expect(new Set(tried.slice(0, 8)).size).toBe(8);
  });

  it('is not waited for longer than 30 s by a read that hangs', async () => {
    refused();
    let aborted: number | undefined;
    rig.readCredential = (signal) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          aborted = rig.clock.monotonic();
          reject(new StoppedError('cut off'));
        }),
      );
    await rig.clock.advance(minuteMs);
    expect([aborted, rig.asked]).toEqual([minuteMs, []]);
  });

  it('leaves no timer of a read behind', async () => {
    refused();
    await rig.clock.advance(30 * second);
    expect(rig.clock.pendingTimers).toBe(1);
  });

  it.each<[string, () => void]>([
    ['the session ends', () => (rig.isCurrent = false)],
    ['another attempt worked', () => void rig.ended('a')],
  ])('is not tried when %s while it is read', async (_, happens) => {
    refused();
    rig.readCredential = async () => {
      happens();
      rig.asked.length = 0;
      return true;
    };
    await rig.clock.advance(30 * second);
    expect([rig.reads.length, rig.asked]).toEqual([1, []]);
  });
});

describe('a 401 on one of several scopes', () => {
  it('has another one tried at once, with the same credential', async () => {
    rig = new Rig('a', 'b', 'c');
    rig.ended('a', 'service-denied');
    expect([isUndecided(rig.runtime.breaker), rig.asked, rig.clock.nextTimerMs]).toEqual([true, [], 0]);
    await rig.clock.advance(0);
    expect(rig.asked).toHaveLength(1);
    expect(rig.asked[0]).toMatch(/^[bc] edit 0$/);
    expect(rig.reads).toEqual([]);
  });

  it('has the scope itself reconciled once more when another one is listed then', () => {
    rig = new Rig('a', 'b');
    rig.ended('a', 'service-denied');
    rig.ended('b');
    expect([rig.runtime.breaker.state === 'Closed', rig.asked]).toEqual([true, ['a resync 0']]);
  });

  it('has nothing reconciled when the scope itself is listed then', () => {
    rig = new Rig('a', 'b');
    rig.ended('a', 'service-denied');
    rig.ended('a');
    expect(rig.asked).toEqual([]);
  });

  it('has nothing tried once it is decided', async () => {
    rig = new Rig('a', 'b');
    rig.ended('a', 'service-denied');
    rig.ended('a');
    await rig.clock.advance(minuteMs);
    expect([rig.asked, rig.clock.pendingTimers]).toEqual([[], 0]);
  });

  it('that a second scope confirms holds all of them', () => {
    rig = new Rig('a', 'b');
    rig.ended('a', 'service-denied');
    rig.ended('b', 'service-denied');
    expect([rig.runtime.breaker.state === 'Closed', rig.runtime.health, rig.asked]).toEqual([
      false,
      'Unauthorized',
      ['called back'],
    ]);
  });

  it('that comes again after another one was listed is shown as forbidden there', () => {
    rig = new Rig('a', 'b');
    expect(rig.ended('a', 'service-denied')?.reason).toBe('ConnectionNotReady');
    rig.ended('b');
    expect(rig.ended('a', 'service-denied')?.reason).toBe('ScopeForbidden');
    expect(rig.ended('b')).toBeUndefined();
  });

  it('alone is no reason to call another failure there forbidden', () => {
    rig = new Rig('a', 'b');
    rig.ended('a', 'service-unreachable');
    rig.ended('b');
    expect(rig.ended('a', 'service-unreachable')?.reason).toBe('ServiceUnreachable');
  });

  it('gives each of the others its turn before one has its second', async () => {
    rig = new Rig('a', 'b', 'c', 'd');
    for (const scope of ['b', 'c', 'd']) rig.ended(scope, 'service-protocol');
    rig.clock.jump(second);
    rig.ended('a', 'service-denied');
    const tried: string[] = [];
    for (let count = 0; count < 3; count++) {
      const { length } = rig.asked;
      await rig.clock.advance(30 * second);
      const [scope = ''] = rig.asked[length]?.split(' ') ?? [];
      tried.push(scope);
      rig.ended(scope, 'service-protocol');
    }
    expect(tried.toSorted()).toEqual(['b', 'c', 'd']);
  });
});

describe('the health', () => {
  beforeEach(() => (rig = new Rig('a', 'b')));

  it('is counted with each attempt, and written and reported when it changes', () => {
    rig.ended('a');
    rig.ended('a');
    expect([rig.seen, rig.refreshed]).toEqual([['team/prod Connected', 'team/prod Connected'], 1]);
    rig.ended('a', 'tls-failed');
    expect([rig.seen.at(-1), rig.refreshed]).toEqual(['team/prod TLSFailed ConnectionNotReady', 2]);
    rig.ended('a');
    expect(rig.events).toEqual([
      'Warning TLSFailed team/prod uid-prod',
      'Normal ConnectionRestored team/prod uid-prod',
    ]);
  });

  it('of a connection that is gone has no event', () => {
    rig.ended('a');
    rig.remove();
    rig.ended('a', 'tls-failed');
    expect([rig.events, rig.refreshed]).toEqual([[], 2]);
  });

  it('is throttled during a pause, which says nothing new about the scopes', () => {
    rig.ended('a');
    rig.ended('a', 'service-busy', 10 * second);
    expect([rig.runtime.health, rig.runtime.pauseLeftMs('b')]).toEqual(['Throttled', 10 * second]);
    rig.clock.jump(4 * second);
    expect(rig.ended('b', 'service-busy', 6 * second)?.reason).toBe('Stale');
    expect([rig.runtime.roster.isBusy('a'), rig.runtime.roster.isBusy('b')]).toEqual([true, false]);
    expect([rig.runtime.health, rig.runtime.pauseLeftMs('b')]).toEqual(['Throttled', 6 * second]);
  });

  it('stays throttled while a scope still gets 429 after its list, whatever the others get', () => {
    rig.ended('a', 'service-busy', 10 * second);
    rig.clock.jump(10 * second);
    rig.ended('a');
    rig.ended('b');
    expect([rig.runtime.health, rig.seen.at(-1), rig.refreshed]).toEqual(['Throttled', 'team/prod Throttled', 1]);
    rig.runtime.roster.completed('a');
    rig.ended('a');
    expect([rig.runtime.health, rig.refreshed]).toEqual(['Connected', 2]);
  });

  it.each(['scope-forbidden', 'service-protocol'] as const)('is not throttled by a scope that gets %s now', (code) => {
    rig.ended('a', 'service-busy', 10 * second);
    rig.clock.jump(10 * second);
    rig.ended('a', code);
    expect(rig.runtime.health).toBe('Connected');
  });

  it('is not throttled by a scope that was left', () => {
    rig.ended('a', 'service-busy', 10 * second);
    rig.runtime.stopListing('a');
    rig.ended('b');
    expect(rig.runtime.health).toBe('Connected');
  });

  it('of an open circuit is not hidden by a pause', () => {
    rig.ended('a', 'service-busy', 10 * second);
    for (let count = 0; count < 5; count++) for (const each of ['a', 'b']) rig.ended(each, 'service-unreachable');
    expect(rig.runtime.health).toBe('CircuitOpen');
    rig.ended('a', 'service-busy', 5 * second);
    expect(rig.runtime.health).toBe('CircuitOpen');
  });
});
