// The hash by which `doctor` and `version` compare the schemas of a cluster with those of the program.
import { expect, test } from 'vitest';

import { schemaHash } from '../../../../src/commands/manifests/schema-hash.ts';

const schema = { type: 'object', properties: { a: { type: 'string', maxLength: 5 }, b: { type: 'integer' } } };

test('ignores the order of members and the descriptions', () => {
  const other = {
    description: 'An object.',
    properties: { b: { type: 'integer' }, a: { maxLength: 5, description: 'A text.', type: 'string' } },
    type: 'object',
  };
  expect(schemaHash(other)).toBe(schemaHash(schema));
  expect(schemaHash(schema)).toMatch(/^[0-9a-f]{12}$/);
});

test.each([
  ['a bound', { ...schema, properties: { ...schema.properties, a: { type: 'string', maxLength: 6 } } }],
  ['a field called description', { ...schema, properties: { ...schema.properties, description: { type: 'string' } } }],
  ['the order of a list', { ...schema, required: ['b', 'a'] }],
])('differs after a change of %s', (_, other) => {
  expect(schemaHash(other)).not.toBe(schemaHash({ ...schema, required: ['a', 'b'] }));
  expect(schemaHash(other)).not.toBe(schemaHash(schema));
});
