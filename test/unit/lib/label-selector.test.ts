// Label selectors: their syntax, and which labels they select, as in the API server.
import { describe, expect, test } from 'vitest';

import { isSelected, parseLabelSelector } from '../../../src/lib/label-selector.ts';

const selected = (text: string, labels?: Record<string, string>) => {
  const selector = parseLabelSelector(text);
  if (!selector) throw new Error(`${text} is not a selector`);
  return isSelected(selector, labels);
};

describe('selects', () => {
  test.each([
    ['shard=a', { shard: 'a' }, true],
    ['shard = a', { shard: 'b' }, false],
    ['shard=', { shard: '' }, true],
    ['shard!=a', { shard: 'b' }, true],
    ['shard!=a', {}, true],
    ['shard!=a', { shard: 'a' }, false],
    ['shard in (a, b)', { shard: 'b' }, true],
    ['shard in (a,b)', { shard: 'c' }, false],
    ['shard notin (a,b)', {}, true],
    ['shard notin (a,b)', { shard: 'a' }, false],
    ['shard', { shard: '' }, true],
    ['!shard', {}, true],
    ['shard in (a,b),tier=x,!old', { shard: 'b', tier: 'x' }, true],
    ['shard in (a,b),tier=x,!old', { shard: 'b', tier: 'x', old: '' }, false],
    ['example.com/shard=a', { 'example.com/shard': 'a' }, true],
    ['constructor', {}, false],
  ])('%s of %o: %s', (text, labels, expected) => {
    expect(selected(text, labels)).toBe(expected);
  });

  test('an object without labels as one with none', () => {
    expect([selected('!shard'), selected('shard')]).toEqual([true, false]);
  });
});

test.each([`${'a'.repeat(253)}/${'b'.repeat(63)}`, `a=${'b'.repeat(63)}`, 'a.b/c'])('"%s" is one', (text) => {
  expect(parseLabelSelector(text)).toBeDefined();
});

test.each([
  '',
  ',',
  'a,',
  'a=b=c',
  'a in b',
  'a in (b',
  'a>1',
  '-a',
  'a=-b',
  'a/b/c=d',
  'A.example/b',
  `${'a'.repeat(64)}=b`,
  `a=${'b'.repeat(64)}`,
  `${'a'.repeat(254)}/b`,
  '!a=b',
])('"%s" is not a selector', (text) => {
  expect(parseLabelSelector(text)).toBeUndefined();
});
