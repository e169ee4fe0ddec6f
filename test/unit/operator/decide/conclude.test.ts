// The conclusions from each outcome of a reconcile. The loops that carry it out are tested over fake ports in test/unit/operator/scope.
import { describe, expect, it } from 'vitest';

import type { AlertsErrorCode } from '../../../../src/alerts/alerts-error.ts';
import {
  conclude,
  type ConcludeInput,
  type ListedPlan,
  type Outcome,
} from '../../../../src/operator/decide/conclude.ts';
import type { PolicyInput } from '../../../../src/operator/decide/decisions.ts';
import { noStreak, throttled } from '../../../../src/operator/decide/failures.ts';
import { newScopeState, type ScopeState } from '../../../../src/operator/decide/scope-state.ts';
import { errorOf, type ErrorCode } from '../../../support/builders/errors.ts';
import { at, inactive, input, minuteMs, nowMs, policy } from '../../../support/builders/objects.ts';

const intervalMs = 15 * minuteMs;
const own = (name: string, suspend = false): PolicyInput =>
  ({
    key: `team/${name}`,
    policy: policy({ name, spec: { suspend } }),
    isSuspended: suspend,
    isRefusedHereOnly: true,
  }) as unknown as PolicyInput;

const noPlan = {
  actions: [],
  policies: [],
  resolvedDismissals: [],
  kept: [],
  missing: [],
  declared: new Map(),
  nextChangeMs: undefined,
};
const listed = (change: object = {}, corrections: readonly object[] = []): ListedPlan =>
  ({ plan: { ...noPlan, policies: [{ key: 'team/a', alerts: [] }], ...change }, corrections }) as unknown as ListedPlan;

const planned = (change: object): Outcome => ({
  kind: 'Planned',
  listed: listed(),
  sent: 'Nothing',
  isPartial: false,
  error: undefined,
  ...change,
});

const factsOf = (retryAfterMs?: number) => (retryAfterMs === undefined ? {} : { retryAfterMs });
const error = (code: AlertsErrorCode, retryAfterMs?: number) =>
  errorOf(code, 'as the test wants it', factsOf(retryAfterMs));

const ended = (code: ErrorCode) => errorOf(code, 'as the test wants it');

function concluded(outcome: Outcome, change: Partial<ConcludeInput> = {}, state: Partial<ScopeState> = {}) {
  return conclude({
    outcome,
    state: { ...newScopeState(0), ...state },
    policies: [own('a'), own('b', true)],
    intervalMs,
    gatheredMs: nowMs,
    isEnding: false,
    isPaused: false,
    isRefusedHereOnly: false,
    connectionStreak: noStreak,
    isStopping: false,
    monotonicMs: minuteMs,
    ...change,
  });
}

/** By policy: what its status shows. */
const shown = (conclusion: ReturnType<typeof concluded>) =>
  [...conclusion.statuses].map(([key, status]) =>
    [key, status.kind === 'failed' ? status.failure.reason : status.kind].join(' '),
  );

describe('a reconcile that attempts nothing', () => {
  it('forgets a scope that no policy names, and waits for an event', () => {
    expect(concluded({ kind: 'NotNeeded' })).toMatchObject({
      use: 'Forgotten',
      result: 'skipped',
      next: { at: 'Event' },
    });
  });

  it.each([
    ['NoConnection', 'no-connection'],
    ['Suspended', 'suspended'],
  ] as const)('writes %s into every status, and rests', (kind, status) => {
    const conclusion = concluded({ kind });
    expect(conclusion).toMatchObject({
      use: 'Resting',
      result: 'skipped',
      next: { at: 'Event' },
      connection: undefined,
    });
    expect(shown(conclusion)).toEqual([`team/a ${status}`, `team/b ${status}`]);
  });

  it('waits before it says that there is no connection in a shard', () => {
    const { next, statuses, result } = concluded({ kind: 'Deferred', delayMs: 4000 });
    expect(result).toBe('skipped');
    expect([next, statuses.size]).toEqual([{ at: 'Delay', delayMs: 4000, isJittered: false }, 0]);
  });

  it('waits for the connection where the circuit breaker holds it back, and for the end of the pause where that does', () => {
    const failure = { ...throttled, reason: 'ServiceUnreachable', pace: 'backoff' } as const;
    const held = concluded({ kind: 'Blocked', failure });
    expect(held).toMatchObject({ use: 'Kept', next: { at: 'Delay', delayMs: 60 * minuteMs, isJittered: false } });
    expect(shown(held)).toEqual(['team/a ServiceUnreachable', 'team/b suspended']);
    const paused = concluded({ kind: 'Blocked', failure: throttled });
    expect(paused).toMatchObject({ use: 'Kept', result: 'failed', next: { at: 'PauseEnd', intervalMs } });
  });

  it('gives way to an edit and writes nothing', () => {
    const { next, statuses, counts, result, use } = concluded({ kind: 'Interrupted' });
    expect([result, use]).toEqual(['skipped', 'Kept']);
    expect([next, statuses.size, counts]).toEqual([{ at: 'Delay', delayMs: 0, isJittered: false }, 0, {}]);
  });
});

describe('a list that failed', () => {
  it('counts, says so about the connection, and is retried after a back-off', () => {
    const conclusion = concluded({ kind: 'Failed', error: error('service-unreachable') }, {}, { failures: 2 });
    expect(conclusion).toMatchObject({
      result: 'failed',
      counts: { failures: 3 },
      connection: { error: { code: 'service-unreachable' } },
      log: { level: 'warn', message: 'reconcile failed' },
      next: { at: 'Delay', delayMs: 4000, isJittered: true },
    });
    expect(shown(conclusion)).toEqual(['team/a ServiceUnreachable', 'team/b suspended']);
  });

  it.each([
    ['fresh', 3 * intervalMs, false],
    ['stale', 3 * intervalMs + 1, true],
  ])('leaves what was seen %s for three intervals', (_, monotonicMs, isStale) => {
    const { statuses } = concluded({ kind: 'Failed', error: error('service-unreachable') }, { monotonicMs });
    expect(statuses.get('team/a')).toMatchObject({ isStale });
  });

  it('takes every entry of the ledger for missing where the service does not know the scope', () => {
    expect(concluded({ kind: 'Failed', error: error('scope-not-found') }).isScopeMissing).toBe(true);
    expect(concluded({ kind: 'Failed', error: error('scope-forbidden') }).isScopeMissing).toBe(false);
  });

  it('logs the pause once, and waits for its end', () => {
    const busy: Outcome = { kind: 'Failed', error: error('service-busy', 9000) };
    expect(concluded(busy)).toMatchObject({ next: { at: 'PauseEnd' }, log: { level: 'warn' } });
    expect(concluded(busy, { isPaused: true }).log?.level).toBe('debug');
    const unreachable: Outcome = { kind: 'Failed', error: error('service-unreachable') };
    expect(concluded(unreachable, { isPaused: true }).log?.level).toBe('warn');
  });

  it('shows a 401 that another scope disproves as the scope alone', () => {
    const refused: Outcome = { kind: 'Failed', error: error('service-denied') };
    expect(shown(concluded(refused))[0]).toBe('team/a ConnectionNotReady');
    expect(shown(concluded(refused, { isRefusedHereOnly: true }))[0]).toBe('team/a ScopeForbidden');
  });
});

describe('a slow retry', () => {
  const refused: Outcome = { kind: 'Failed', error: error('service-rejected') };
  const next = (outcome: Outcome, ...policies: PolicyInput[]) => concluded(outcome, { policies }).next;
  const back = (endMs: number) => input({ spec: { suspend: true, suspendUntil: at(endMs) } });
  const dismissing = (endMs: number) => input({ spec: { alerts: [inactive({ until: at(endMs) })] } });
  const slow = { at: 'Delay', delayMs: 60 * minuteMs, isJittered: false };

  it('ends with a dismissal or a suspension', () => {
    const change = { ...slow, changeMs: nowMs + minuteMs };
    expect(next(refused, dismissing(minuteMs), back(2 * minuteMs))).toEqual(change);
    expect(next(refused, dismissing(2 * minuteMs), back(minuteMs))).toEqual(change);
    const forbidden: Outcome = { kind: 'Failed', error: error('scope-forbidden') };
    expect(next(forbidden, back(minuteMs))).toEqual({ ...change, delayMs: 2 * minuteMs });
  });

  it('ends with nothing that was over before it', () => {
    expect(next(refused, dismissing(0), back(-minuteMs))).toEqual(slow);
    expect(next(refused, input({ spec: { alerts: [inactive({ incidents: ['a'] })] } }))).toEqual(slow);
    expect(next(refused, own('b', true))).toEqual(slow);
  });

  it('of a blocked scope shows the end of a suspension, and nothing else could be done', () => {
    const failure = { ...throttled, reason: 'ServiceUnreachable', pace: 'backoff' } as const;
    const held: Outcome = { kind: 'Blocked', failure };
    const changeMs = nowMs + minuteMs;
    expect(next(held, back(minuteMs))).toEqual({ ...slow, changeMs });
    expect(next(held, dismissing(minuteMs))).toEqual(slow);
    const paused: Outcome = { kind: 'Blocked', failure: throttled };
    expect(next(paused, back(minuteMs))).toEqual({ at: 'PauseEnd', intervalMs, changeMs });
    expect(next(paused, dismissing(minuteMs))).toEqual({ at: 'PauseEnd', intervalMs });
    const busy: Outcome = { kind: 'Failed', error: error('service-busy', 9000) };
    expect(next(busy, back(minuteMs))).toEqual({ at: 'PauseEnd', intervalMs, changeMs });
  });
});

describe('a plan of which nothing was sent', () => {
  const outdated: Outcome = { kind: 'Outdated', listed: listed(), detail: 'the list is too old' };

  it.each([
    [0, 1000, 0, 'info'],
    [2, 4000, 0, 'debug'],
    [3, 8000, 2, 'info'],
    [9, 300_000, 0, 'debug'],
  ])('after %i others is made again in %i ms, and shown every fourth time', (before, delayMs, statuses, level) => {
    const streak = { cause: 'any', count: 5 };
    const conclusion = concluded(outdated, {}, { outdated: before, failures: 5, streak });
    expect(conclusion.next).toEqual({ at: 'Delay', delayMs, isJittered: true, changeMs: undefined });
    const counts = { failures: 0, streak: noStreak, outdated: before + 1 };
    expect([conclusion.counts, conclusion.statuses.size]).toEqual([counts, statuses]);
    expect(conclusion).toMatchObject({ result: 'unchanged', connection: undefined, log: { level } });
  });
});

describe('a plan', () => {
  it('without a change is due after the interval, or when time changes what is decided', () => {
    expect(concluded(planned({}))).toMatchObject({
      result: 'unchanged',
      use: 'Kept',
      counts: { failures: 0, outdated: 0 },
      connection: { error: undefined },
      next: { at: 'Delay', delayMs: intervalMs },
    });
    const { next } = concluded(planned({ listed: listed({ nextChangeMs: 77 }) }));
    expect(next).toEqual({ at: 'Delay', delayMs: intervalMs, isJittered: false, changeMs: 77 });
  });

  it.each([
    ['Verified', 'corrected'],
    ['Unverified', 'unverified'],
  ] as const)('that was sent and is %s counts as %s', (sent, result) => {
    expect(concluded(planned({ sent })).result).toBe(result);
  });

  it('shows each policy its own decision and the corrections that no status shows yet', () => {
    const correction = { alert: 'X', isActive: true };
    const unrecorded = new Map([['team/a', [correction]]]) as unknown as ScopeState['unrecorded'];
    const { statuses } = concluded(planned({}), {}, { unrecorded });
    expect(statuses.get('team/a')).toMatchObject({ kind: 'listed', corrections: [correction] });
    expect(statuses.get('team/b')).toEqual({ kind: 'suspended' });
    const policies = [{ key: 'team/b', alerts: [] }];
    expect(concluded(planned({ listed: listed({ policies }) })).statuses.get('team/b')).toEqual({ kind: 'suspended' });
    expect(concluded(planned({ listed: listed({ policies }) })).statuses.get('team/a')).toEqual({ kind: 'suspended' });
  });

  it('whose sending ended with an error backs off, and logs whether the rest is verified', () => {
    const after = (sent: string) =>
      concluded(planned({ sent, error: error('service-unreachable') }), {}, { failures: 1 });
    expect(after('Verified')).toMatchObject({
      use: 'Kept',
      counts: { failures: 2, outdated: 0 },
      log: { message: 'plan partly sent' },
      next: { at: 'Delay', delayMs: 2000, isJittered: true },
    });
    expect(after('Unverified').log?.message).toBe('sent, not verified');
  });

  it('of which a part was sent is written, and goes on at once', () => {
    const conclusion = concluded(planned({ sent: 'Verified', isPartial: true }));
    expect(conclusion.statuses.size).toBe(2);
    expect(conclusion).toMatchObject({ result: 'corrected', next: { at: 'Delay', delayMs: 0 } });
    expect(conclusion).toMatchObject({ counts: { failures: 0, outdated: 0 }, connection: {} });
  });
});

describe('what the API server or a defect ends', () => {
  it.each([
    [0, 1000, 'warn'],
    [1, 2000, 'warn'],
    [4, 16_000, 'debug'],
    [5, 25_000, 'debug'],
    [127, 25_000, 'warn'],
  ])('after %i others is retried in %i ms, and logged at %s', (errors, delayMs, level) => {
    const conclusion = concluded({ kind: 'Broken', error: ended('kube-unreachable') }, {}, { errors });
    expect(conclusion).toMatchObject({
      result: 'error',
      counts: { errors: errors + 1 },
      next: { at: 'Delay', delayMs, isJittered: true },
      log: { level, message: 'reconcile not completed', fields: { errors: errors + 1 } },
    });
    expect(conclusion.statuses.size).toBe(0);
  });

  it('shows a defect in every status', () => {
    const conclusion = concluded({ kind: 'Broken', error: new TypeError('x is not a function') });
    expect(shown(conclusion)).toEqual(['team/a InternalError', 'team/b InternalError']);
    expect(conclusion.statuses.get('team/a')).toMatchObject({ isStale: false });
    expect(conclusion.log).toMatchObject({ level: 'error', fields: { err: { message: 'x is not a function' } } });
  });

  it.each([
    ['a stop', { isStopping: true }, 'kube-unreachable'],
    ['a request that was cancelled', {}, 'stopped'],
  ] as const)('leaves %s to the next start', (_, change, code) => {
    const conclusion = concluded({ kind: 'Broken', error: ended(code) }, change);
    expect(conclusion).toMatchObject({ result: 'skipped', next: { at: 'Event' }, counts: {}, log: undefined });
  });
});
