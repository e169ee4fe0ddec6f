// The quick comparison and checks of JSON agree with their plain definitions for every value.
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { isNoDeeperThan, isSameJson } from '../../../src/lib/json-shape.ts';

const names = fc.constantFrom('a', 'b', 'constructor', '__proto__', 'toString', '0', '1');
const leaves = fc.constantFrom<unknown>(null, true, false, 0, 1, '', 'a');
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaves,
    fc.array(tie('json'), { maxLength: 3 }),
    fc.array(fc.tuple(names, fc.oneof(tie('json'), fc.constant(undefined))), { maxLength: 4 }).map(objectWith),
  ),
}));

function objectWith(members: readonly (readonly [string, unknown])[]): object {
  const object = {};
  for (const [name, value] of members) {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return object;
}

/** By definition: the same set of defined members, each the same. */
function isSameByMembers(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const [a, b] = [definedMembers(left), new Map(definedMembers(right))];
  return a.length === b.size && a.every(([name, value]) => b.has(name) && isSameByMembers(value, b.get(name)));
}

function definedMembers(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

/** Another order of the members, everywhere. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return objectWith(
    Object.entries(value)
      .map(([name, member]) => [name, turned(member)] as const)
      .toReversed(),
  );
}

test('two values are the same exactly when their defined members are', () => {
  fc.assert(
    fc.property(json, json, (left, right) => {
      expect(isSameJson(left, right)).toBe(isSameByMembers(left, right));
      expect(isSameJson(right, left)).toBe(isSameByMembers(left, right));
    }),
    { numRuns: 1000 },
  );
});

test('the order of members does not matter', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(isSameJson(value, turned(value))).toBe(true);
      expect(isSameJson(turned(value), value)).toBe(true);
    }),
  );
});

test('a value is no deeper than its depth, and deeper than one less', () => {
  fc.assert(
    fc.property(json, fc.integer({ min: 0, max: 6 }), (value, depth) => {
      expect(isNoDeeperThan(depth, value)).toBe(depthOf(value) <= depth);
    }),
  );
});
