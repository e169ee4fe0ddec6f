import { inspect } from 'node:util';

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';

import { cleanText, cutBytes, fitsBytes } from '../../../src/lib/clean-text.ts';
import { nearestOf } from '../../../src/lib/compare-text.ts';
import { formatAge, formatDuration, parseDuration } from '../../../src/lib/duration.ts';
import { parseListenAddress, reachableHost } from '../../../src/lib/listen-address.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { SecretText, systemSecrets } from '../../../src/lib/secret-text.ts';
import { wrapText } from '../../../src/lib/terminal-text.ts';

describe('durations', () => {
  it.each([
    ['15m', 900_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1500],
    ['1h1.5m250ms', 3_690_250],
    ['1.m', undefined],
    ['', undefined],
    ['m15', undefined],
    ['-5s', undefined],
    ['1d', undefined],
  ])('%o is %o ms', (text, expected) => {
    expect(parseDuration(text)).toBe(expected);
  });

  it('are printed as Go prints them', () => {
    expect([0, 250, 1500, 900_000, 5_400_000].map(formatDuration)).toEqual(['0s', '250ms', '1.5s', '15m0s', '1h30m0s']);
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
  [60_000, '1m'],
  [3_599_999, '59m'],
  [3_600_000, '1h'],
  [86_399_999, '23h'],
  [30 * 86_400_000, '30d'],
])('an age of %s ms is %s', (ageMs, expected) => {
  expect(formatAge(ageMs)).toBe(expected);
});

describe('cutting text to a number of bytes', () => {
  const cases: [string, string, number, string][] = [
    ['leaves alone what fits', 'Grüße', 7, 'Grüße'],
    ['puts an ellipsis at the cut', 'abcdef', 5, 'ab…'],
    ['does not split a character of two bytes', 'aüüü', 6, 'aü…'],
    ['does not split a character of four bytes', '🛡🛡', 7, '🛡…'],
    ['keeps the ellipsis alone when nothing else fits', '🛡🛡', 4, '…'],
  ];
  it.each(cases)('%s', (_name, text, limit, expected) => {
    expect(cutBytes(text, limit)).toBe(expected);
    expect(Buffer.byteLength(cutBytes(text, limit))).toBeLessThanOrEqual(limit);
  });
});

it.each([
  ['Grüße', 6, false],
  ['Grüße', 7, true],
  ['🛡', 3, false],
  ['', 0, true],
])('counts the bytes of UTF-8: %s within %d is %s', (text, limit, expected) => {
  expect(fitsBytes(text, limit)).toBe(expected);
});

it.each<[string, number, string, string[]]>([
  ['a line that fits', 20, '', ['a line that fits']],
  ['a line that does not fit', 12, '', ['a line that', 'does not fit']],
  ['a line that does not fit', 12, '  ', ['a line that', '  does not', '  fit']],
  ['unbreakable', 4, '', ['unbr', 'eaka', 'ble']],
  ['any length', Infinity, '', ['any length']],
  ['', 10, '', ['']],
  ['no', 0, '', ['n', 'o']],
  ['room', 2, '  ', ['roo', '  m']],
])('"%s" in %i columns, indented by "%s"', (text, columns, indent, lines) => {
  expect(wrapText(text, columns, indent)).toEqual(lines);
});

it.each([
  ['KUBECONFG', 'KUBECONFIG'],
  ['READ_ONYL', 'READ_ONLY'],
  ['', undefined],
  ['XYZ', undefined],
])('the nearest name of %s is %s', (name, nearest) => {
  expect(nearestOf(name, ['KUBECONFIG', 'LOG_LEVEL', 'LEADER_ELECT', 'READ_ONLY'])).toBe(nearest);
});

test('system secrets are 43 URL-safe characters and never the same', () => {
  const secrets = Array.from({ length: 50 }, () => systemSecrets().reveal());
  expect(new Set(secrets).size).toBe(50);
  for (const secret of secrets) expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
});
