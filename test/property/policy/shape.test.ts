// A shape accepts what the same JSON Schema accepts, and the path that it names leads to a member that is wrong by itself.
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { type Shape, wrongMember } from '../../../src/policy/shape.ts';

const names = fc.constantFrom('a', 'b', 'c', 'constructor');
const text: Shape = { type: 'string' };

const { shape } = fc.letrec<{ shape: Shape }>((tie) => ({
  shape: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<Shape>(
      text,
      { type: 'string', minLength: 1 },
      { type: 'string', enum: ['a', 'b'] },
      { type: 'boolean' },
      { type: 'integer', minimum: 1 },
      { type: 'object', additionalProperties: text },
    ),
    tie('shape').map((items) => ({ type: 'array', items })),
    fc
      .tuple(
        fc.dictionary(names, tie('shape'), { maxKeys: 3, noNullPrototype: true }),
        fc.subarray(['a', 'constructor']),
      )
      .map(([properties, some]) => ({
        type: 'object',
        properties,
        required: some.filter((name) => Object.hasOwn(properties, name)),
      })),
  ),
}));

const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, 0, 1, 1.5, '', 'a', 'z'),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(names, tie('json'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

/** What a path such as `.a[0].b` leads to. */
function at(value: unknown, path: string): unknown {
  const own = (from: unknown, name: string): unknown =>
    Object.hasOwn(from as object, name) ? Reflect.get(from as object, name) : undefined;
  return [...path.matchAll(/\w+/g)].reduce((from, [name]) => own(from, name), value);
}

function shapeAt(from: Shape, path: string): Shape | undefined {
  return [...path.matchAll(/\.(\w+)|\[/g)].reduce<Shape | undefined>(
    (shape, [, name]) => (name === undefined ? shape?.items : shape?.properties?.[name]),
    from,
  );
}

test('a shape accepts what the same JSON Schema accepts', () => {
  const ajv = new Ajv({ ownProperties: true, strict: false });
  fc.assert(
    fc.property(shape, json, (shape, value) => {
      expect(wrongMember(shape, value) === undefined).toBe(ajv.validate(shape, value));
    }),
    { numRuns: 500 },
  );
});

test('the path leads to a member that is wrong by itself', () => {
  fc.assert(
    fc.property(shape, json, (shape, value) => {
      const path = wrongMember(shape, value);
      if (path === undefined) return;
      expect(wrongMember(shapeAt(shape, path) ?? text, at(value, path))).toBe('');
    }),
    { numRuns: 2000 },
  );
});

test('an integer is one that a number can hold exactly', () => {
  expect([2 ** 53 - 1, 2 ** 53].map((number) => wrongMember({ type: 'integer' }, number))).toEqual([undefined, '']);
});
