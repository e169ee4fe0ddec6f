import { describe, expect, it } from 'vitest';

import { AlertsError } from '../../../src/alerts/alerts-error.ts';
import {
  type AttemptObservation,
  type Breaker,
  closedBreaker,
  isCircuitOpen,
  needsTrial,
  thresholdReached,
} from '../../../src/controller/breaker.ts';
import { healthAfter, stepBreaker } from '../../../src/controller/circuit-breaker.ts';
import { failureOf } from '../../../src/plan/failures.ts';
import { errorOf, type ErrorCode } from '../../support/builders/errors.ts';

const slowTrialMs = 60_000;

/** The breaker after one attempt on `scope`; undefined is a whole list. The only scope unless said otherwise. */
function attempt(
  breaker: Breaker,
  code: ErrorCode | undefined,
  scope = 'a',
  nowMs = 0,
  change: Partial<AttemptObservation> = {},
): Breaker {
  const failure = code && failureOf(errorOf(code, 'said'));
  const observation = { scope, failure, nowMs, slowTrialMs, scopes: 1, isAlone: false, ...change };
  return stepBreaker(breaker, { kind: 'AttemptEnded', observation });
}

function attempts(...codes: (ErrorCode | undefined)[]): Breaker {
  return codes.reduce<Breaker>((breaker, code) => attempt(breaker, code), closedBreaker);
}

const withTrial = (breaker: Breaker, scope: string) => stepBreaker(breaker, { kind: 'TrialBegun', scope });
const withoutSuspect = (breaker: Breaker, scope: string) => stepBreaker(breaker, { kind: 'ScopeLeft', scope });
const afterUnreachedPatch = (breaker: Breaker, scope: string) =>
  stepBreaker(breaker, { kind: 'PatchUnreached', scope });
const afterAnsweredPatch = (breaker: Breaker) => stepBreaker(breaker, { kind: 'PatchAnswered' });

const away = 'service-unreachable';
const circuit = attempts(away, away, away, away, away);

function describeBreaker(breaker: Breaker): string {
  return breaker.state === 'Closed'
    ? `closed, ${breaker.unreached}`
    : `${breaker.failure.connection}, ${breaker.unreached}`;
}

describe('the circuit breaker of a connection', () => {
  it.each<[string, (ErrorCode | undefined)[], string]>([
    ['stays closed after four reconciles that did not reach the service', [away, away, away, away], 'closed, 4'],
    ['opens the circuit with the fifth', [away, away, away, away, away], 'CircuitOpen, 5'],
    ['counts only those in a row', [away, away, away, away, undefined, away], 'closed, 1'],
    ['counts a refused scope as a response', [away, away, away, away, 'scope-not-found', away], 'closed, 1'],
    ['counts a busy service as a response', [away, away, away, away, 'service-busy'], 'closed, 0'],
    ['counts an invalid response as a response', [away, away, 'service-protocol', away], 'closed, 1'],
    ['opens at once for a refused credential', ['service-denied'], 'Unauthorized, 0'],
    ['closes with any response', ['service-denied', undefined], 'closed, 0'],
    ['opens at once for a credential that cannot be used', ['tls-failed'], 'TLSFailed, 0'],
    ['closes with an invalid response, for the credential was sent', ['tls-failed', 'service-protocol'], 'closed, 0'],
  ])('%s', (_, codes, expected) => {
    expect(describeBreaker(attempts(...codes))).toBe(expected);
  });

  it.each<[string, string, ErrorCode | undefined, string]>([
    ['is unaffected by a reconcile that was in progress', 'b', away, 'CircuitOpen, 5'],
    ['waits longer after a failed trial', 'a', away, 'CircuitOpen, 6'],
    ['ends with a successful trial', 'a', undefined, 'closed, 0'],
    ['ends with a response for another scope', 'b', 'scope-forbidden', 'closed, 0'],
    ['ends with an invalid response', 'b', 'service-protocol', 'closed, 0'],
    ['ends with a 429', 'b', 'service-busy', 'closed, 0'],
    ['gives way to a credential that is refused', 'a', 'service-denied', 'Unauthorized, 0'],
  ])('an open circuit %s', (_, scope, code, expected) => {
    expect(describeBreaker(attempt(withTrial(circuit, 'a'), code, scope))).toBe(expected);
  });

  it('is open without a trial after a failed one', () => {
    expect(attempt(withTrial(circuit, 'a'), away, 'a')).toMatchObject({ state: 'Open', halfOpenScope: undefined });
  });

  it('leaves a refused credential alone until the time that was said first, and then again for as long', () => {
    const first = attempt(closedBreaker, 'service-denied', 'a', 0);
    expect(attempt(first, 'service-denied', 'a', 30_000)).toMatchObject({ slowTrialAtMs: slowTrialMs });
    expect(attempt(first, 'service-denied', 'a', slowTrialMs)).toMatchObject({ slowTrialAtMs: 2 * slowTrialMs });
    expect(attempt(first, 'token-endpoint-failed', 'a', 30_000)).toMatchObject({ slowTrialAtMs: 30_000 + slowTrialMs });
  });

  it('keeps that time when a trial before it is refused, and plans the next trial', () => {
    const trial = attempt(withTrial(attempt(closedBreaker, 'service-denied'), 'a'), 'service-denied', 'a', 30_000);
    expect(trial).toMatchObject({ state: 'Open', halfOpenScope: undefined, slowTrialAtMs: slowTrialMs, refusals: 1 });
  });

  it('remembers five failing scopes, and counts on', () => {
    const open = ['a', 'b', 'c', 'd', 'e'].reduce<Breaker>(
      (breaker, scope) => afterUnreachedPatch(breaker, scope),
      closedBreaker,
    );
    const six = afterUnreachedPatch(open, 'f');
    expect([six.unreached, six.failing]).toEqual([6, new Set(['a', 'b', 'c', 'd', 'e'])]);
  });

  it('that is closed has no half-open scope, and one that is open ignores the response of a PATCH', () => {
    expect(withTrial(closedBreaker, 'a')).toBe(closedBreaker);
    expect(afterAnsweredPatch(circuit)).toBe(circuit);
  });

  it('forgets a refusal with the scope that was refused, and no other', () => {
    const suspected = story(3, 'a: 401, c: html');
    expect(suspected).toMatchObject({ refused: 'a', isTriedInVain: true });
    expect(withoutSuspect(suspected, 'a')).toEqual(closedBreaker);
    expect(withoutSuspect(suspected, 'c')).toBe(suspected);
    expect(withoutSuspect(circuit, 'a')).toBe(circuit);
  });

  it('reaches its threshold after five PATCHes that did not reach the service, and the next reconcile decides', () => {
    const four = [1, 2, 3, 4].reduce<Breaker>((breaker) => afterUnreachedPatch(breaker, 'a'), closedBreaker);
    const five = afterUnreachedPatch(four, 'a');
    expect([thresholdReached(four), thresholdReached(five), thresholdReached(afterAnsweredPatch(five))]).toEqual([
      false,
      true,
      false,
    ]);
    expect(isCircuitOpen(five)).toBe(false);
    expect([describeBreaker(attempt(five, away)), describeBreaker(attempt(five, undefined))]).toEqual([
      'CircuitOpen, 6',
      'closed, 0',
    ]);
    expect(afterUnreachedPatch(circuit, 'a')).toBe(circuit);
  });
});

/** `scope: code` for each attempt in order, `scope!` for a scope that fails alone; `-` is a whole list. */
function story(scopes: number, text: string): Breaker {
  return text.split(', ').reduce<Breaker>((breaker, each) => {
    const [name = '', code = ''] = each.split(': ');
    const isAlone = name.endsWith('!');
    const failure = {
      away,
      401: 'service-denied',
      404: 'scope-not-found',
      429: 'service-busy',
      html: 'service-protocol',
    }[code] as ErrorCode;
    return attempt(breaker, failure, name.replace('!', ''), 0, { scopes, isAlone });
  }, closedBreaker);
}

describe('the circuit breaker of a connection with several scopes', () => {
  it.each<[string, number, string, string]>([
    ['stays closed for one that is away', 9, 'a: away, a: away, a: away, a: away, a: away, a: away', 'closed, 6'],
    ['stays closed for four', 9, 'a: away, b: away, c: away, d: away, a: away, b: away', 'closed, 6'],
    ['opens for five', 9, 'a: away, b: away, c: away, d: away, e: away', 'CircuitOpen, 5'],
    [
      'opens for all three of three with the fifth failure',
      3,
      'a: away, b: away, c: away, a: away, b: away',
      'CircuitOpen, 5',
    ],
    ['stays closed for two of three', 3, 'a: away, b: away, a: away, b: away, a: away, b: away', 'closed, 6'],
    [
      'does not count one that is away alone',
      2,
      'a!: away, b: away, a!: away, b: away, a!: away, b: away',
      'closed, 3',
    ],
    [
      'opens for all that are not away alone',
      1,
      'a!: away, b: away, b: away, b: away, b: away, b: away',
      'CircuitOpen, 5',
    ],
    ['stays closed for one that is refused', 3, 'a: 401, a: 401, a: 401', 'closed, 0, a refused'],
    ['opens for one that is refused again after another failed', 3, 'a: 401, c: html, a: 401', 'Unauthorized, 0'],
    ['opens for one that is refused again after another was away', 3, 'a: 401, c!: away, a: 401', 'Unauthorized, 0'],
    ['stays closed for one that is refused after it was away', 3, 'a: 401, a: away, a: 401', 'closed, 0, a refused'],
    ['opens for two that are refused', 3, 'a: 401, b: 401', 'Unauthorized, 0'],
    ['opens for two with other responses between', 3, 'a: 401, c: html, c: 429, c: away, b: 401', 'Unauthorized, 0'],
    ['takes a scope that is not found for an accepted credential', 3, 'a: 401, c: 404, b: 401', 'closed, 0, b refused'],
    ['stays open for a refused credential after an invalid response', 1, 'a: 401, a: html', 'Unauthorized, 0'],
    ['closes for a scope that is not found', 3, 'a: 401, b: 401, c: 404', 'closed, 0'],
    ['stays closed when one is listed between', 3, 'a: 401, c: -, b: 401', 'closed, 0, b refused'],
    ['forgets a refusal when the scope is listed', 3, 'a: 401, a: -', 'closed, 0'],
    ['does not count one that is refused alone', 3, 'b: 401, a!: 401', 'closed, 0, b refused'],
    ['opens for all that are not refused alone', 1, 'a!: 401, b: 401', 'Unauthorized, 0'],
    ['stays open for a refused credential after a 429', 3, 'a: 401, b: 401, c: 429', 'Unauthorized, 0'],
    ['closes for a scope that is listed after all', 3, 'a: 401, b: 401, c: -', 'closed, 0'],
  ])('%s', (_, scopes, text, expected) => {
    const breaker = story(scopes, text);
    const refused = breaker.state === 'Closed' && breaker.refused !== undefined ? `, ${breaker.refused} refused` : '';
    expect(`${describeBreaker(breaker)}${refused}`).toBe(expected);
    expect(needsTrial(breaker)).toBe(breaker.state !== 'Closed' || refused !== '');
    expect(breaker.failing.size).toBeLessThanOrEqual(5);
  });

  it('does not change with a refusal that says nothing new, so that the next trial keeps its time', () => {
    const closed = story(3, 'a: 401, b: 401');
    expect(attempt(closed, 'service-denied', 'c', 1000, { scopes: 3 })).toBe(closed);
  });
});

describe('the health of a connection', () => {
  const unreachable = failureOf(errorOf(away, 'said'));

  const refused = failureOf(new AlertsError('service-denied', 'said'));
  const alone = { isAlone: true };

  it.each([
    ['one failing scope of many', attempts(away), { before: 'Connected', scopes: 3 }, 'Connected'],
    ['the only scope', attempts(away), { before: 'Connected', scopes: 1 }, 'Unreachable'],
    ['one of three, three times', attempts(away, away, away), { before: 'Connected', scopes: 3 }, 'Connected'],
    ['all three of three', story(3, 'a: away, b: away, c: away'), { before: 'Connected', scopes: 3 }, 'Unreachable'],
    ['a first reconcile of many that fails', attempts(away), { before: undefined, scopes: 9 }, undefined],
    ['five in a row', circuit, { before: 'Unreachable', scopes: 1 }, 'CircuitOpen'],
    ['one that is away alone', story(3, 'a!: away'), { before: 'Throttled', scopes: 2, ...alone }, 'Throttled'],
    [
      'all three of three, this one alone',
      story(3, 'a: away, b: away, c: away'),
      { before: 'Throttled', scopes: 3, ...alone },
      'Throttled',
    ],
    ['a first refusal', story(3, 'a: 401'), { before: undefined, scopes: 3, failure: refused }, undefined],
    ['two refusals', story(3, 'a: 401, b: 401'), { before: 'Connected', scopes: 3, failure: refused }, 'Unauthorized'],
    [
      'a refusal alone',
      story(3, 'a!: 401'),
      { before: 'Throttled', scopes: 2, failure: refused, ...alone },
      'Connected',
    ],
  ] as const)('after %s', (_, breaker, { before, ...facts }, expected) => {
    expect(healthAfter(breaker, { failure: unreachable, isAlone: false, ...facts }, before)).toBe(expected);
  });
});
