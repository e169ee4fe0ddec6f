import { describe, expect, test } from 'vitest';

import { createFaultChooser, fits, type FaultFacts } from '../../../../src/service/faults/choose.ts';
import { requireFaultScript } from '../../../../src/service/faults/decode-script.ts';

const scriptOf = (rules: readonly object[], seed = 1) => requireFaultScript({ seed, rules }, 'of the test');
const chooserOf = (rules: readonly object[], seed = 1) => createFaultChooser(scriptOf(rules, seed));
const list: FaultFacts = { route: 'list-alerts', scope: 'subscriptions/One' };
const update: FaultFacts = { route: 'update-alert', scope: 'subscriptions/One', alert: 'TooMany' };

/** The places of the rules that so many equal requests meet. */
function met(rules: readonly object[], requests: number, facts = list, seed = 1): readonly unknown[] {
  const chooser = chooserOf(rules, seed);
  return Array.from({ length: requests }, () => chooser.choose(facts)?.index);
}

describe('a request', () => {
  test.each([
    { name: 'of another route', match: { routes: ['list-alerts'] }, facts: update, expected: false },
    { name: 'on the scope in other letters', match: { scope: 'SUBSCRIPTIONS/one' }, facts: list, expected: true },
    { name: 'below the scope', match: { scope: 'subscriptions' }, facts: list, expected: false },
    { name: 'below a prefix', match: { scope: 'Subscriptions/*' }, facts: list, expected: true },
    { name: 'on the prefix itself', match: { scope: 'subscriptions/one/*' }, facts: list, expected: false },
    { name: 'of the alert', match: { alert: 'TOOMANY' }, facts: update, expected: true },
    { name: 'without an alert', match: { alert: 'TooMany' }, facts: list, expected: false },
    { name: 'of any caller', match: {}, facts: { ...list, principal: 'ci' }, expected: true },
    { name: 'of another caller', match: { principal: 'ci' }, facts: { ...list, principal: 'Ci' }, expected: false },
    { name: 'without a principal', match: { principal: 'ci' }, facts: list, expected: false },
  ])('$name: $expected', ({ match, facts, expected }) => {
    const [rule] = scriptOf([{ match, fault: { status: 500 } }]).rules;
    expect(fits(rule!.match, facts)).toBe(expected);
  });
});

const off = { fault: { status: 500 } };
const late = { fault: { latency: { ms: 30 } } };

describe('limits', () => {
  test.each([
    { name: 'both', limits: { after: 1, times: 2 }, expected: [undefined, 0, 0, undefined] },
    { name: 'never', limits: { probability: 0 }, expected: [undefined, undefined, undefined, undefined] },
  ])('$name', ({ limits, expected }) => {
    expect(met([{ limits, ...off }], 4)).toEqual(expected);
  });

  test('probability meets about as many as it says', () => {
    const found = met([{ limits: { probability: 0.25 }, ...off }], 4000).filter((index) => index === 0);
    expect(found.length).toBeGreaterThan(900);
    expect(found.length).toBeLessThan(1100);
  });
});

describe('of several rules', () => {
  test('the first that fits and is not spent wins', () => {
    const rules = [{ limits: { times: 1 }, ...off }, { match: { routes: ['update-alert'] }, ...off }, off];
    expect(met(rules, 3)).toEqual([0, 2, 2]);
    expect(met(rules, 3, update)).toEqual([0, 1, 1]);
  });

  test.each([
    { name: 'latency goes with the next one', rules: [late, off], expected: { index: 1, delayMs: 30 } },
    { name: 'latencies add up', rules: [late, late, off], expected: { index: 2, delayMs: 60 } },
    { name: 'latency behind another fault is not reached', rules: [off, late], expected: { index: 0, delayMs: 0 } },
  ])('$name', ({ rules, expected }) => {
    expect(chooserOf(rules).choose(list)).toEqual(expected);
  });
});

describe('the seed', () => {
  const rules = [{ fault: { latency: { minMs: 1, maxMs: 50 } } }, { limits: { probability: 0.5 }, ...off }];
  const drawn = (seed: number, between?: FaultFacts) => {
    const chooser = chooserOf([...rules, { match: { routes: ['token'] }, limits: { probability: 0.5 }, ...off }], seed);
    return Array.from({ length: 50 }, () => {
      if (between) chooser.choose(between);
      return chooser.choose(list);
    });
  };

  test('decides what is drawn', () => {
    expect(drawn(7)).toEqual(drawn(7));
    expect(drawn(7)).not.toEqual(drawn(8));
    const delays = drawn(7).map((chosen) => chosen?.delayMs ?? 0);
    expect([Math.min(...delays) >= 1, Math.max(...delays) <= 50, new Set(delays).size > 10]).toEqual([
      true,
      true,
      true,
    ]);
  });

  test('gives each rule numbers of its own: requests that it does not fit change nothing', () => {
    const own = [{ match: { routes: ['list-alerts'] }, limits: { probability: 0.5 }, ...off }, off];
    const alone = chooserOf(own, 3);
    const disturbed = chooserOf(own, 3);
    for (let index = 0; index < 50; index += 1) {
      disturbed.choose(update);
      expect(disturbed.choose(list)).toEqual(alone.choose(list));
    }
  });
});
