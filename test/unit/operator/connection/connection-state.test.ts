// What follows for a connection from the ends of its attempts: when it waits as a whole, which scope is tried when, and what its status
// says.
import { describe, expect, it } from 'vitest';

import {
  type ConnectionEvent,
  type ConnectionState,
  isUndecided,
  newConnectionState,
  nextTrialOf,
  stepConnection,
} from '../../../../src/operator/connection/connection-state.ts';
import { failureOf } from '../../../../src/operator/decide/failures.ts';
import { errorOf, type ErrorCode } from '../../../support/builders/errors.ts';

const second = 1000;
const codes: Readonly<Record<string, ErrorCode>> = {
  away: 'service-unreachable',
  401: 'service-denied',
  404: 'scope-not-found',
  429: 'service-busy',
  html: 'service-protocol',
  tls: 'tls-failed',
};

interface Setting {
  readonly scopes?: number;
  readonly from?: ConnectionState;
  readonly nowMs?: number;
}

function eventOf(text: string, scopes: number): ConnectionEvent {
  const [name = '', word = ''] = text.split(': ');
  if (word === 'list') return { kind: 'Listed' };
  if (word === 'patched') return { kind: 'PatchAnswered' };
  if (word === 'patch away') return { kind: 'PatchUnreached', scope: name };
  if (word === 'trial') return { kind: 'TrialBegun', scope: name };
  if (word === 'left') return { kind: 'ScopeLeft', scope: name };
  const code = codes[word];
  const end = {
    failure: code && failureOf(errorOf(code, 'said')),
    retryAfterMs: 10 * second,
    isRefusedHereOnly: name.endsWith('!'),
    failures: name.length - name.replaceAll('!', '').length + 1,
  };
  return { kind: 'Ended', end: { scope: name.replaceAll('!', ''), scopes, ...end } };
}

/** `SCOPE: EVENT` in order, `SCOPE!` for a failure that concerns the scope only, with a `!` for each one before it; `ok` is a reconcile that ended well. */
function story(text: string, { scopes = 3, from = newConnectionState, nowMs = 0 }: Setting = {}): ConnectionState {
  return text.split(', ').reduce((state, each) => stepConnection(state, eventOf(each, scopes), nowMs), from);
}

/** `HEALTH`, with `in doubt`, or `waits` while no scope may be listed. */
function shown({ health, failure, refused, isDoubted }: ConnectionState): string {
  if (failure) return `${health} waits`;
  return `${health}${refused !== undefined || isDoubted ? ' in doubt' : ''}`;
}

const fiveAway = 'a: away, b: away, c: away, d: away, e: away';

describe('a service that does not respond', () => {
  it.each<[string, number, string, string]>([
    ['waits after five failures of one scope', 1, 'a: away, a: away, a: away, a: away, a: away', 'CircuitOpen waits'],
    ['is unreachable before that', 1, 'a: away', 'Unreachable'],
    ['waits after five scopes', 9, fiveAway, 'CircuitOpen waits'],
    ['waits after all three of three', 3, 'a: away, b: away, c: away, a: away, b: away', 'CircuitOpen waits'],
    ['says nothing after one scope', 9, 'z: ok, a: away, a: away, a: away, a: away, a: away, a: away', 'Connected'],
    ['says nothing after four scopes', 9, 'z: ok, a: away, b: away, c: away, d: away, a: away', 'Connected'],
    ['counts only failures in a row', 1, 'a: away, a: away, a: away, a: away, a: ok, a: away', 'Unreachable'],
    ['counts an answer to a PATCH', 9, 'a: away, b: away, c: away, d: away, z: patched, e: away', 'undefined'],
    ['does not wait for PATCHes alone', 1, Array(9).fill('a: patch away').join(', '), 'undefined'],
    [
      'waits when a list after them fails',
      1,
      `${Array(4).fill('a: patch away').join(', ')}, a: away`,
      'CircuitOpen waits',
    ],
    ['asks the scope that was served last first', 9, `z: ok, ${fiveAway}`, 'Connected in doubt'],
    ['waits when that fails as well', 9, `z: ok, ${fiveAway}, z: trial, z: away`, 'CircuitOpen waits'],
    ['waits for the end of that trial', 9, `z: ok, ${fiveAway}, z: trial, f: away`, 'Connected in doubt'],
    ['does not wait when that is served', 9, `z: ok, ${fiveAway}, z: trial, z: ok`, 'Connected'],
    [
      'asks no scope that is gone',
      9,
      'z: ok, a: away, b: away, c: away, d: away, z: left, e: away',
      'CircuitOpen waits',
    ],
  ])('%s', (_, scopes, text, expected) => {
    const state = story(text, { scopes });
    expect(shown(state)).toBe(expected);
    expect(state.failing.size).toBeLessThanOrEqual(5);
  });

  it.each<[string, string]>([
    ['a: ok', 'Connected'],
    ['b: list', 'Connected'],
    ['b: 404', 'Connected'],
    ['b: html', 'Connected'],
    ['b: 429', 'Throttled'],
    ['b: 401', 'CircuitOpen in doubt'],
    ['b: away', 'CircuitOpen waits'],
  ])('after %s is %s', (text, expected) => {
    expect(shown(story(text, { scopes: 9, from: story(fiveAway, { scopes: 9 }) }))).toBe(expected);
  });
});

describe('a credential that is refused', () => {
  it.each<[string, number, string, string]>([
    ['on the only scope', 1, 'a: 401', 'Unauthorized waits'],
    ['on one scope', 3, 'a: 401, a: 401, a: 401', 'undefined in doubt'],
    ['on two scopes', 3, 'a: 401, b: 401', 'Unauthorized waits'],
    ['on two scopes, not yet on the one that was served last', 3, 'c: ok, a: 401, b: 401', 'Connected in doubt'],
    ['on the scope that was served last as well', 3, 'c: ok, a: 401, c: 401', 'Unauthorized waits'],
    ['on the scope that was served last first', 3, 'a: ok, a: 401, b: 401', 'Unauthorized waits'],
    ['on a scope beside one that is listed', 3, 'a: 401, b: list', 'Connected'],
    ['on a scope beside one that is not found', 3, 'a: 401, b: 404', 'Connected'],
    ['on one scope only, as is known', 3, 'b: ok, a!: 401', 'Connected'],
    ['on a scope while another answers nonsense', 3, 'a: 401, c: html', 'undefined in doubt'],
    ['again after another was tried in vain', 3, 'a: 401, c: trial, c: html, a: 401', 'Unauthorized waits'],
    ['again while another is tried', 3, 'a: 401, c: trial, a: 401', 'undefined in doubt'],
    ['on a scope that is gone', 3, 'a: 401, a: left', 'undefined'],
  ])('%s', (_, scopes, text, expected) => {
    const state = story(text, { scopes });
    expect(shown(state)).toBe(expected);
    expect(isUndecided(state)).toBe(expected.endsWith('in doubt'));
  });

  it.each<[string, string]>([
    ['a: 401', 'Unauthorized waits'],
    ['b: html', 'Unauthorized waits'],
    ['b: 429', 'Unauthorized waits'],
    ['b: 404', 'Connected'],
    ['b: tls', 'TLSFailed waits'],
  ])('and then %s is %s', (text, expected) => {
    expect(shown(story(text, { from: story('a: 401, b: 401') }))).toBe(expected);
  });
});

it.each<[string, string]>([
  ['a: tls', 'TLSFailed waits'],
  ['a: tls, b: html', 'Connected'],
])('what cannot be used waits at once: %s', (text, expected) => {
  expect(shown(story(text))).toBe(expected);
});

describe('the time of the next trial', () => {
  /** Each trial begins when it is due, and ends so after a tenth of a second. */
  function trialTimes(state: ConnectionState, ending: string, count: number): number[] {
    const times: number[] = [];
    for (; times.length < count;) {
      const atMs = state.trialAtMs ?? Infinity;
      times.push(atMs);
      const begun = story('a: trial', { from: state, nowMs: atMs });
      state = story(`a: ${ending}`, { from: begun, nowMs: atMs });
    }
    return times.map((atMs, index) => (atMs - (times[index - 1] ?? 0)) / second);
  }

  it('is after 1 s, 2 s … up to 5 min while the service does not respond', () => {
    const state = story(fiveAway, { scopes: 5 });
    expect(trialTimes(state, 'away', 11)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
  });

  it.each(['401', 'tls'])('is every 30 s for what cannot be used (%s)', (ending) => {
    expect(trialTimes(story(`a: ${ending}`, { scopes: 1 }), ending, 4)).toEqual([30, 30, 30, 30]);
  });

  it('is at once in a doubt, and not again', () => {
    const doubt = story('a: 401');
    expect(doubt.trialAtMs).toBe(0);
    expect(story('c: trial, c: html', { from: doubt }).trialAtMs).toBeUndefined();
  });
});

describe('the scope of the next trial', () => {
  it('is in turns the one that was served last and another one', () => {
    const open = story(`a: ok, b: away, c: away, d: away, e: away, a: away`, { scopes: 5 });
    const scopes = ['a', 'b'];
    const next = story('a: trial', { from: open });
    expect([nextTrialOf(open, scopes), nextTrialOf(next, scopes)]).toEqual(['a', 'b']);
    expect([nextTrialOf(next, ['a']), nextTrialOf(story('a: left', { from: next }), [])]).toEqual(['a', undefined]);
  });

  it('is never the one in doubt', () => {
    expect(nextTrialOf(story('a: ok, a: 401'), ['a', 'b'])).toBe('b');
    expect(nextTrialOf(story('a: ok, a: 401'), ['a'])).toBeUndefined();
  });
});

describe('a pause', () => {
  it('lasts as long as the service asks, at least 5 s, and for a scope that is throttled alone as long again', () => {
    const paused = story('a: 429', { nowMs: 100 });
    expect([paused.pausedUntilMs, paused.throttledUntilMs]).toEqual([10_100, -Infinity]);
    expect(story('a: 429', { from: paused, nowMs: 10_100 }).throttledUntilMs).toBe(30_100);
  });

  it('leaves ever more time to the others when the service asks for little and the scope fails again and again', () => {
    const { pausedUntilMs, throttledUntilMs } = story('a!!!!!!: 429', { from: story('a: 429'), nowMs: 10_000 });
    expect([pausedUntilMs, throttledUntilMs]).toEqual([20_000, 20_000 + 30 * second]);
  });

  it('shows until the throttled scope is served, is refused or left', () => {
    const paused = story('a: 429');
    const then = (text: string) => shown(story(text, { from: paused, nowMs: 60 * second }));
    expect([then('b: ok'), then('a: list'), then('a: away')]).toEqual(['Throttled', 'Throttled', 'Throttled']);
    expect([then('a: ok'), then('a: 404'), then('a: html'), then('a: left, b: ok')]).toEqual(
      Array(4).fill('Connected'),
    );
  });
});

it('a changed spec forgets all but the health and the pause', () => {
  const before = story('a: 429, a: 401, b: 401');
  const { health, pausedUntilMs, trialAtMs, failure } = stepConnection(before, { kind: 'SpecChanged' }, 0);
  expect([health, pausedUntilMs, trialAtMs, failure]).toEqual(['Unauthorized', 10_000, undefined, undefined]);
});
