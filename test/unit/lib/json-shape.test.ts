// The result of each test and reader for every type of JSON.
import { expect, it } from 'vitest';

import {
  arrayOf,
  booleanOf,
  isBoolean,
  isNonEmptyString,
  isObject,
  isPositiveNumber,
  isString,
  isWholeNumber,
  nonEmptyStringOf,
  numberOf,
  objectOf,
  ownMember,
  parseJson,
  stringOf,
} from '../../../src/lib/json-shape.ts';

const values = [undefined, null, true, false, 0, 1, -1, 1.5, 2 ** 53, '', 'a', [], [1], {}, { a: 1 }];

it.each<[string, (json: unknown) => boolean, readonly unknown[]]>([
  ['isObject', isObject, [{}, { a: 1 }]],
  ['isString', isString, ['', 'a']],
  ['isNonEmptyString', isNonEmptyString, ['a']],
  ['isBoolean', isBoolean, [true, false]],
  ['isWholeNumber', (json) => isWholeNumber(json), [0, 1]],
  ['isWholeNumber from -1 to 0', (json) => isWholeNumber(json, -1, 0), [0, -1]],
  ['isPositiveNumber', isPositiveNumber, [1, 1.5, 2 ** 53]],
])('tests accept exactly the values of their type: %s', (_, test, expected) => {
  expect(values.filter((value) => test(value))).toEqual(expected);
});

it.each<[string, (json: unknown) => unknown, readonly unknown[], unknown]>([
  ['objectOf', objectOf, [{}, { a: 1 }], {}],
  ['arrayOf', arrayOf, [[], [1]], []],
  ['stringOf', stringOf, ['', 'a'], undefined],
  ['nonEmptyStringOf', nonEmptyStringOf, ['a'], undefined],
  ['numberOf', numberOf, [0, 1, -1, 1.5, 2 ** 53], undefined],
  ['booleanOf', booleanOf, [true, false], undefined],
])('readers return a value of their type, and else the substitute: %s', (_, read, own, substitute) => {
  expect(values.map((value) => read(value))).toEqual(
    values.map((value) =>
      own.some((each) => Object.is(JSON.stringify(each), JSON.stringify(value))) ? value : substitute,
    ),
  );
});

it('parses JSON, and returns undefined for other text', () => {
  expect(['{"a":[1]}', 'null', '', '{', 'undefined'].map(parseJson)).toEqual([
    { a: [1] },
    null,
    ...Array(3).fill(undefined),
  ]);
});

it('reads no inherited member', () => {
  expect(ownMember({ a: 1 }, 'a')).toBe(1);
  expect(ownMember({ a: 1 }, 'constructor')).toBeUndefined();
});
