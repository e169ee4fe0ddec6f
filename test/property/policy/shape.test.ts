// The shape checks name the same first invalid member as their plain definition: required members first, then optional ones, in the
// order of the shape.
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { flag, listOf, members, oneOf, type Shape, text, texts, wholeFrom } from '../../../src/policy/shape.ts';

/** A shape, and the path that it must name for a value, by definition. */
interface Defined {
  readonly shape: Shape;
  readonly pathOf: (json: unknown, path: string) => string | undefined;
}

const unless = (isValid: (json: unknown) => boolean) => (json: unknown, path: string) =>
  isValid(json) ? undefined : path;
const isText = (json: unknown) => typeof json === 'string' && json !== '' && json.length <= 65_536;
const isMap = (json: unknown) => typeof json === 'object' && json !== null && !Array.isArray(json);

const leaves = fc.constantFrom<Defined>(
  { shape: text, pathOf: unless(isText) },
  { shape: flag, pathOf: unless((json) => typeof json === 'boolean') },
  { shape: wholeFrom(1), pathOf: unless((json) => Number.isSafeInteger(json) && Number(json) >= 1) },
  { shape: oneOf('a', 'b'), pathOf: unless((json) => json === 'a' || json === 'b') },
  {
    shape: texts,
    pathOf: unless((json) => isMap(json) && Object.values(json as object).every((each) => each === '' || isText(each))),
  },
);
const names = fc.constantFrom('a', 'b', 'c', 'constructor');
const { defined } = fc.letrec<{ defined: Defined }>((tie) => ({
  defined: fc.oneof(
    { depthSize: 'small' },
    leaves,
    tie('defined').map(list),
    fc
      .tuple(fc.dictionary(names, tie('defined'), { maxKeys: 3 }), fc.dictionary(names, tie('defined'), { maxKeys: 2 }))
      .map(object),
  ),
}));

function list({ shape, pathOf }: Defined): Defined {
  return {
    shape: listOf(shape),
    pathOf: (json, path) =>
      Array.isArray(json)
        ? json.map((member: unknown, index) => pathOf(member, `${path}[${index}]`)).find((wrong) => wrong !== undefined)
        : path,
  };
}

function object([required, optional]: [Record<string, Defined>, Record<string, Defined>]): Defined {
  const shapesOf = (all: Record<string, Defined>) =>
    Object.fromEntries(Object.entries(all).map(([name, { shape }]) => [name, shape]));
  const own = (json: object, name: string): unknown =>
    Object.hasOwn(json, name) ? Reflect.get(json, name) : undefined;
  return {
    shape: members(shapesOf(required), shapesOf(optional)),
    pathOf: (json, path) => {
      if (!isMap(json)) return path;
      const given = json as object;
      const needed = Object.entries(required).map(([name, { pathOf }]) => pathOf(own(given, name), `${path}.${name}`));
      const allowed = Object.entries(optional)
        .filter(([name]) => own(given, name) !== undefined)
        .map(([name, { pathOf }]) => pathOf(own(given, name), `${path}.${name}`));
      return [...needed, ...allowed].find((wrong) => wrong !== undefined);
    },
  };
}

const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, undefined, true, 0, 1, 1.5, '', 'a', 'z'),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(names, tie('json'), { maxKeys: 4 }),
  ),
}));

test('a shape names the first invalid member by its path, and nothing when all are valid', () => {
  fc.assert(
    fc.property(defined, json, ({ shape, pathOf }, value) => {
      expect(shape(value)).toBe(pathOf(value, ''));
    }),
    { numRuns: 2000 },
  );
});

test('a list of more than 10,000 members is invalid, and a text of more than 65,536 characters', () => {
  expect([listOf(flag)(Array(10_001).fill(true)), listOf(flag)(Array(10_000).fill(true))]).toEqual(['', undefined]);
  expect([text('x'.repeat(65_537)), text('x'.repeat(65_536))]).toEqual(['', undefined]);
});
