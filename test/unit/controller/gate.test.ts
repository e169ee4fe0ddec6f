import { describe, expect, it } from 'vitest';

import {
  type Finding,
  type Gate,
  healthAfter,
  isCircuitOpen,
  isInDoubt,
  needsTrial,
  openGate,
  stepGate,
} from '../../../src/controller/gate.ts';
import { type ErrorCode, OperatorError } from '../../../src/lib/errors.ts';
import { failureOf } from '../../../src/plan/failures.ts';

const slowProbeMs = 60_000;

/** The gate after one attempt on `scope`; undefined is a whole list. The only scope unless said otherwise. */
function look(gate: Gate, code: ErrorCode | undefined, scope = 'a', nowMs = 0, change: Partial<Finding> = {}): Gate {
  const failure = code && failureOf(new OperatorError(code, 'said'));
  const finding = { scope, failure, nowMs, slowProbeMs, scopes: 1, isAlone: false, ...change };
  return stepGate(gate, { kind: 'AttemptEnded', finding });
}

function looks(...codes: (ErrorCode | undefined)[]): Gate {
  return codes.reduce<Gate>((gate, code) => look(gate, code), openGate);
}

const withProbe = (gate: Gate, scope: string) => stepGate(gate, { kind: 'TrialBegun', scope });
const withoutSuspect = (gate: Gate, scope: string) => stepGate(gate, { kind: 'ScopeLeft', scope });
const afterUnreachedPatch = (gate: Gate, scope: string) => stepGate(gate, { kind: 'PatchUnreached', scope });
const afterAnsweredPatch = (gate: Gate) => stepGate(gate, { kind: 'PatchAnswered' });

const away = 'service-unreachable';
const circuit = looks(away, away, away, away, away);

function told(gate: Gate): string {
  return gate.isOpen ? `open, ${gate.unreached}` : `${gate.failure.connection}, ${gate.unreached}`;
}

describe('the gate of a connection', () => {
  it.each<[string, (ErrorCode | undefined)[], string]>([
    ['stays open after four looks that did not reach the service', [away, away, away, away], 'open, 4'],
    ['opens the circuit with the fifth', [away, away, away, away, away], 'CircuitOpen, 5'],
    ['counts only those in a row', [away, away, away, away, undefined, away], 'open, 1'],
    ['takes a refused scope for an answer', [away, away, away, away, 'scope-not-found', away], 'open, 1'],
    ['takes a busy service for an answer', [away, away, away, away, 'service-busy'], 'open, 0'],
    ['takes an answer that is not to be trusted for an answer', [away, away, 'service-protocol', away], 'open, 1'],
    ['closes at once for a refused credential', ['service-denied'], 'Unauthorized, 0'],
    ['opens with any answer', ['service-denied', undefined], 'open, 0'],
    ['closes at once for a credential that cannot be used', ['tls-failed'], 'TLSFailed, 0'],
    [
      'opens with an answer not to be trusted, for the credential was sent',
      ['tls-failed', 'service-protocol'],
      'open, 0',
    ],
  ])('%s', (_, codes, expected) => {
    expect(told(looks(...codes))).toBe(expected);
  });

  it.each<[string, string, ErrorCode | undefined, string]>([
    ['is not told anything new by a look that was under way', 'b', away, 'CircuitOpen, 5'],
    ['waits longer after a probe that failed', 'a', away, 'CircuitOpen, 6'],
    ['ends with a probe that succeeded', 'a', undefined, 'open, 0'],
    ['ends with the answer to anybody else', 'b', 'scope-forbidden', 'open, 0'],
    ['ends with an answer that is not to be trusted', 'b', 'service-protocol', 'open, 0'],
    ['ends with a 429', 'b', 'service-busy', 'open, 0'],
    ['gives way to a credential that is refused', 'a', 'service-denied', 'Unauthorized, 0'],
  ])('an open circuit %s', (_, scope, code, expected) => {
    expect(told(look(withProbe(circuit, 'a'), code, scope))).toBe(expected);
  });

  it('lets nobody probe any more once the probe failed', () => {
    expect(look(withProbe(circuit, 'a'), away, 'a')).toMatchObject({ isOpen: false, probe: undefined });
  });

  it('leaves a refused credential alone until the time that was said first, and then again for as long', () => {
    const first = look(openGate, 'service-denied', 'a', 0);
    expect(look(first, 'service-denied', 'a', 30_000)).toMatchObject({ slowProbeAtMs: slowProbeMs });
    expect(look(first, 'service-denied', 'a', slowProbeMs)).toMatchObject({ slowProbeAtMs: 2 * slowProbeMs });
    expect(look(first, 'token-endpoint-failed', 'a', 30_000)).toMatchObject({ slowProbeAtMs: 30_000 + slowProbeMs });
  });

  it('keeps that time when a trial before it is refused, and plans the next trial', () => {
    const trial = look(withProbe(look(openGate, 'service-denied'), 'a'), 'service-denied', 'a', 30_000);
    expect(trial).toMatchObject({ isOpen: false, probe: undefined, slowProbeAtMs: slowProbeMs, refusals: 1 });
  });

  it('remembers five failing scopes, and counts on', () => {
    const open = ['a', 'b', 'c', 'd', 'e'].reduce<Gate>((gate, scope) => afterUnreachedPatch(gate, scope), openGate);
    const six = afterUnreachedPatch(open, 'f');
    expect([six.unreached, six.failing]).toEqual([6, new Set(['a', 'b', 'c', 'd', 'e'])]);
  });

  it('that is open lets no one scope through, and one that is closed takes no PATCH for an answer', () => {
    expect(withProbe(openGate, 'a')).toBe(openGate);
    expect(afterAnsweredPatch(circuit)).toBe(circuit);
  });

  it('forgets a refusal with the scope that was refused, and no other', () => {
    const suspected = story(3, 'a: 401, c: html');
    expect(suspected).toMatchObject({ refused: 'a', isTriedInVain: true });
    expect(withoutSuspect(suspected, 'a')).toEqual(openGate);
    expect(withoutSuspect(suspected, 'c')).toBe(suspected);
    expect(withoutSuspect(circuit, 'a')).toBe(circuit);
  });

  it('is in doubt after five PATCHes that did not reach the service, and the next look decides', () => {
    const four = [1, 2, 3, 4].reduce<Gate>((gate) => afterUnreachedPatch(gate, 'a'), openGate);
    const five = afterUnreachedPatch(four, 'a');
    expect([isInDoubt(four), isInDoubt(five), isInDoubt(afterAnsweredPatch(five))]).toEqual([false, true, false]);
    expect(isCircuitOpen(five)).toBe(false);
    expect([told(look(five, away)), told(look(five, undefined))]).toEqual(['CircuitOpen, 6', 'open, 0']);
    expect(afterUnreachedPatch(circuit, 'a')).toBe(circuit);
  });
});

/** `scope: code` for each attempt in order, `scope!` for a scope that fails alone; `-` is a whole list. */
function story(scopes: number, text: string): Gate {
  return text.split(', ').reduce<Gate>((gate, each) => {
    const [name = '', code = ''] = each.split(': ');
    const isAlone = name.endsWith('!');
    const failure = {
      away,
      401: 'service-denied',
      404: 'scope-not-found',
      429: 'service-busy',
      html: 'service-protocol',
    }[code] as ErrorCode;
    return look(gate, failure, name.replace('!', ''), 0, { scopes, isAlone });
  }, openGate);
}

describe('the gate of a connection with several scopes', () => {
  it.each<[string, number, string, string]>([
    ['stays open for one that is away', 9, 'a: away, a: away, a: away, a: away, a: away, a: away', 'open, 6'],
    ['stays open for four', 9, 'a: away, b: away, c: away, d: away, a: away, b: away', 'open, 6'],
    ['closes for five', 9, 'a: away, b: away, c: away, d: away, e: away', 'CircuitOpen, 5'],
    [
      'closes for all three of three with the fifth failure',
      3,
      'a: away, b: away, c: away, a: away, b: away',
      'CircuitOpen, 5',
    ],
    ['stays open for two of three', 3, 'a: away, b: away, a: away, b: away, a: away, b: away', 'open, 6'],
    ['does not count one that is away alone', 2, 'a!: away, b: away, a!: away, b: away, a!: away, b: away', 'open, 3'],
    [
      'closes for all that are not away alone',
      1,
      'a!: away, b: away, b: away, b: away, b: away, b: away',
      'CircuitOpen, 5',
    ],
    ['stays open for one that is refused', 3, 'a: 401, a: 401, a: 401', 'open, 0, a refused'],
    ['closes for one that is refused again after another failed', 3, 'a: 401, c: html, a: 401', 'Unauthorized, 0'],
    ['closes for one that is refused again after another was away', 3, 'a: 401, c!: away, a: 401', 'Unauthorized, 0'],
    ['stays open for one that is refused after it was away', 3, 'a: 401, a: away, a: 401', 'open, 0, a refused'],
    ['closes for two that are refused', 3, 'a: 401, b: 401', 'Unauthorized, 0'],
    ['closes for two with other answers between', 3, 'a: 401, c: html, c: 429, c: away, b: 401', 'Unauthorized, 0'],
    ['takes a scope that is not found for an accepted credential', 3, 'a: 401, c: 404, b: 401', 'open, 0, b refused'],
    [
      'stays closed for a refused credential after an answer not to be trusted',
      1,
      'a: 401, a: html',
      'Unauthorized, 0',
    ],
    ['opens for a scope that is not found', 3, 'a: 401, b: 401, c: 404', 'open, 0'],
    ['stays open when one is listed between', 3, 'a: 401, c: -, b: 401', 'open, 0, b refused'],
    ['forgets a refusal when the scope is listed', 3, 'a: 401, a: -', 'open, 0'],
    ['does not count one that is refused alone', 3, 'b: 401, a!: 401', 'open, 0, b refused'],
    ['closes for all that are not refused alone', 1, 'a!: 401, b: 401', 'Unauthorized, 0'],
    ['stays closed for a refused credential after a 429', 3, 'a: 401, b: 401, c: 429', 'Unauthorized, 0'],
    ['opens for a scope that is listed after all', 3, 'a: 401, b: 401, c: -', 'open, 0'],
  ])('%s', (_, scopes, text, expected) => {
    const gate = story(scopes, text);
    const refused = gate.isOpen && gate.refused !== undefined ? `, ${gate.refused} refused` : '';
    expect(`${told(gate)}${refused}`).toBe(expected);
    expect(needsTrial(gate)).toBe(!gate.isOpen || refused !== '');
    expect(gate.failing.size).toBeLessThanOrEqual(5);
  });

  it('does not change with a refusal that says nothing new, so that the next trial keeps its time', () => {
    const closed = story(3, 'a: 401, b: 401');
    expect(look(closed, 'service-denied', 'c', 1000, { scopes: 3 })).toBe(closed);
  });
});

describe('the health of a connection', () => {
  const unreachable = failureOf(new OperatorError(away, 'said'));

  const refused = failureOf(new OperatorError('service-denied', 'said'));
  const alone = { isAlone: true };

  it.each([
    ['one failing scope of many', looks(away), { before: 'Connected', scopes: 3 }, 'Connected'],
    ['the only scope', looks(away), { before: 'Connected', scopes: 1 }, 'Unreachable'],
    ['one of three, three times', looks(away, away, away), { before: 'Connected', scopes: 3 }, 'Connected'],
    ['all three of three', story(3, 'a: away, b: away, c: away'), { before: 'Connected', scopes: 3 }, 'Unreachable'],
    ['a first look of many that fails', looks(away), { before: undefined, scopes: 9 }, undefined],
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
  ] as const)('after %s', (_, gate, { before, ...facts }, expected) => {
    expect(healthAfter(gate, { failure: unreachable, isAlone: false, ...facts }, before)).toBe(expected);
  });
});
