import { inspect } from 'node:util';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { cleanText } from '../../../src/lib/clean-text.ts';
import { formatAge, formatDuration, parseDuration } from '../../../src/lib/duration.ts';
import { isSameJson } from '../../../src/lib/json-shape.ts';
import { parseListenAddress, reachableHost } from '../../../src/lib/listen-address.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { SecretText } from '../../../src/lib/secret-text.ts';

describe('durations', () => {
  it.each([
    ['15m', 900_000],
    ['1h30m', 5_400_000],
    ['250ms', 250],
    ['1.5s', 1500],
    ['1h1.5m250ms', 3_690_250],
    ['9m0.5m', 570_000],
    ['1.m', undefined],
    ['1.2.3s', undefined],
    ['', undefined],
    ['15', undefined],
    ['m15', undefined],
    ['-5s', undefined],
    ['1d', undefined],
  ])('%o is %o ms', (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  it('printed as Go prints them, they read back', () => {
    expect([0, 250, 1500, 900_000, 5_400_000].map(formatDuration)).toEqual(['0s', '250ms', '1.5s', '15m0s', '1h30m0s']);
    fc.assert(
      fc.property(fc.nat({ max: 100_000_000 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});

describe('text from outside', () => {
  it.each([
    ['a\u001b[31mred\u001b[0m b', 'ared b'],
    ['two\nlines\tand a \u0000', 'two lines and a'],
    ['left\u202eright', 'left right'],
    ['x'.repeat(20), `${'x'.repeat(9)}…`],
  ])('%j is shown as %j', (text, expected) => {
    expect(cleanText(text, 10 + (text.length < 20 ? 10 : 0))).toBe(expected);
  });

  it('is never longer than it may be, and always well formed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 50 }), (text, limit) => {
        const clean = cleanText(text, limit);
        expect(clean.length <= limit && clean.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('a secret', () => {
  const secret = new SecretText('hunter2');
  it('shows itself nowhere', () => {
    const lines: string[] = [];
    createLogger({ level: 'info', format: 'json', sink: { write: (line) => void lines.push(line) } }).info(
      { secret, nested: { secret } },
      'x',
    );
    const shown = [
      String(secret),
      ['', secret].join(''),
      JSON.stringify({ secret }),
      inspect(secret),
      inspect({ secret }),
      ...lines,
    ];
    expect(shown.filter((text) => text.includes('hunter2'))).toEqual([]);
    expect(secret.reveal()).toBe('hunter2');
  });
});

it.each([
  [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
  [{ a: 1, b: undefined }, { a: 1 }, true],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [null, {}, false],
  ['1', 1, false],
])('%j and %j say the same: %o', (left, right, expected) => {
  expect([isSameJson(left, right), isSameJson(right, left)]).toEqual([expected, expected]);
});

it.each([
  [':8080', { host: '', port: 8080 }],
  ['127.0.0.1:0', { host: '127.0.0.1', port: 0 }],
  ['[::1]:9440', { host: '::1', port: 9440 }],
  ['8080', undefined],
  ['host:70000', undefined],
  ['::1:80', undefined],
])('the address %s', (text, expected) => {
  expect(parseListenAddress(text)).toEqual(expected);
});

it.each([
  ['', '127.0.0.1'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
  ['::1', '::1'],
  ['10.0.0.1', '10.0.0.1'],
  ['localhost', 'localhost'],
])('a server that listens on "%s" is reachable at %s', (host, expected) => {
  expect(reachableHost(host)).toBe(expected);
});

it.each([
  [-5000, '0s'],
  [59_999, '59s'],
  [60_000, '1m'],
  [3_599_999, '59m'],
  [3_600_000, '1h'],
  [86_399_999, '23h'],
  [30 * 86_400_000, '30d'],
])('an age of %s ms is %s', (ageMs, expected) => {
  expect(formatAge(ageMs)).toBe(expected);
});
