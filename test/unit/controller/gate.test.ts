import { describe, expect, it } from 'vitest';

import {
  afterAnsweredPatch,
  afterUnreachedPatch,
  type Gate,
  healthAfter,
  isCircuitOpen,
  isInDoubt,
  nextGate,
  openGate,
  withProbe,
} from '../../../src/controller/gate.ts';
import { type ErrorCode, OperatorError } from '../../../src/lib/errors.ts';
import { failureOf } from '../../../src/plan/failures.ts';

const slowProbeMs = 60_000;

/** What one look on `scope` found; undefined is a whole list. */
function look(gate: Gate, code: ErrorCode | undefined, scope = 'a', nowMs = 0): Gate {
  const failure = code && failureOf(new OperatorError(code, 'said'));
  return nextGate(gate, { scope, failure, nowMs, slowProbeMs });
}

function looks(...codes: (ErrorCode | undefined)[]): Gate {
  return codes.reduce<Gate>((gate, code) => look(gate, code), openGate);
}

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
  ])('%s', (_, codes, expected) => {
    expect(told(looks(...codes))).toBe(expected);
  });

  it.each<[string, string, ErrorCode | undefined, string]>([
    ['is not told anything new by a look that was under way', 'b', away, 'CircuitOpen, 5'],
    ['waits longer after a probe that failed', 'a', away, 'CircuitOpen, 6'],
    ['ends with a probe that succeeded', 'a', undefined, 'open, 0'],
    ['ends with the answer to anybody else', 'b', 'scope-forbidden', 'open, 0'],
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

  it('is in doubt after five PATCHes that did not reach the service, and the next look decides', () => {
    const four = [1, 2, 3, 4].reduce<Gate>((gate) => afterUnreachedPatch(gate), openGate);
    const five = afterUnreachedPatch(four);
    expect([isInDoubt(four), isInDoubt(five), isInDoubt(afterAnsweredPatch(five))]).toEqual([false, true, false]);
    expect(isCircuitOpen(five)).toBe(false);
    expect([told(look(five, away)), told(look(five, undefined))]).toEqual(['CircuitOpen, 6', 'open, 0']);
    expect(afterUnreachedPatch(circuit)).toBe(circuit);
  });
});

describe('the health of a connection', () => {
  const unreachable = failureOf(new OperatorError(away, 'said'));

  it.each([
    ['one failing scope of many', looks(away), { before: 'Connected', scopes: 3 }, 'Connected'],
    ['the only scope', looks(away), { before: 'Connected', scopes: 1 }, 'Unreachable'],
    [
      'as many in a row as there are scopes',
      looks(away, away, away),
      { before: 'Connected', scopes: 3 },
      'Unreachable',
    ],
    ['a first look of many that fails', looks(away), { before: undefined, scopes: 9 }, 'Connected'],
    ['five in a row', circuit, { before: 'Unreachable', scopes: 1 }, 'CircuitOpen'],
  ] as const)('after %s', (_, gate, facts, expected) => {
    expect(healthAfter(gate, unreachable, facts)).toBe(expected);
  });
});
