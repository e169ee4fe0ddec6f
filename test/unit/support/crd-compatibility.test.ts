// The check of custom resource definitions against the released ones can fail: it finds every kind of break, and nothing that is only added.
// The present definitions break nothing.
import { expect, test } from 'vitest';

import { readPresentCrds, readReleasedCrds } from '../../../.config/release/crd-baseline.ts';
import { breaksOf, type Definition, type Schema } from '../../support/checks/crd-compatibility.ts';

const spec = {
  type: 'object',
  required: ['scope'],
  properties: {
    scope: { type: 'string', minLength: 1, maxLength: 100, pattern: '^[a-z]+$' },
    mode: { type: 'string', enum: ['Enforce', 'Observe'], default: 'Observe' },
    limit: { type: 'integer', minimum: 1, maximum: 10 },
    alerts: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
  },
  'x-kubernetes-validations': [{ rule: 'self.limit > 0', message: 'The limit is too low.' }],
};

const names = { kind: 'Example', shortNames: ['ex'] };
const version = {
  name: 'v1',
  served: true,
  subresources: { status: {} },
  selectableFields: [{ jsonPath: '.spec.scope' }],
};

const definition = (schema: Schema = spec, change: object = {}, versionChange: object = {}): Definition => ({
  metadata: { name: 'examples', annotations: {} },
  spec: {
    group: 'example.net',
    scope: 'Namespaced',
    names,
    versions: [{ ...version, schema: { openAPIV3Schema: schema }, ...versionChange }],
    ...change,
  },
});

const released = [definition()];
const { properties } = spec;
const rules = spec['x-kubernetes-validations'];
const withMember = (name: keyof typeof properties, change: object): Schema => ({
  ...spec,
  properties: { ...properties, [name]: { ...properties[name], ...change } },
});

test.each<[string, Schema, string]>([
  ['a removed field', { ...spec, properties: { ...properties, limit: undefined } as never }, '.limit: removed'],
  ['a removed field of a list', withMember('alerts', { items: { type: 'object' } }), '.alerts[].name: removed'],
  ['another type', withMember('limit', { type: 'number' }), '.limit: another type'],
  [
    'another type of a map',
    withMember('labels', { additionalProperties: { type: 'integer' } }),
    '.labels[]: another type',
  ],
  ['a removed value of an enum', withMember('mode', { enum: ['Observe'] }), '.mode: no longer allows Enforce'],
  ['a new enum', withMember('scope', { enum: ['a'] }), '.scope: no longer allows any other value'],
  ['a newly required field', { ...spec, required: ['scope', 'mode'] }, '.mode: required'],
  ['another default', withMember('mode', { default: 'Enforce' }), '.mode: another default'],
  ['another pattern', withMember('scope', { pattern: '^[a-z]$' }), '.scope: another pattern'],
  ['a new format', withMember('scope', { format: 'uri' }), '.scope: another format'],
  ['a lower maximum', withMember('limit', { maximum: 9 }), '.limit: a tighter maximum'],
  ['a higher minimum', withMember('limit', { minimum: 2 }), '.limit: a tighter minimum'],
  ['a shorter text', withMember('scope', { maxLength: 99 }), '.scope: a tighter maxLength'],
  ['a new bound', withMember('alerts', { maxItems: 5 }), '.alerts: a tighter maxItems'],
  [
    'another type of list',
    withMember('alerts', { 'x-kubernetes-list-type': 'set' }),
    '.alerts: another x-kubernetes-list-type',
  ],
  [
    'another CEL rule',
    { ...spec, 'x-kubernetes-validations': [...rules, { rule: 'self.limit > 1' }] },
    ': the rule self.limit > 1',
  ],
])('%s is found', (_, schema, what) => {
  expect(breaksOf(released, [definition(schema)])).toEqual([`examples ${what}`]);
});

test.each<[string, readonly Definition[], string]>([
  ['a removed definition', [], 'examples: removed'],
  ['another scope', [definition(spec, { scope: 'Cluster' })], 'examples another group, scope or kind'],
  ['a removed short name', [definition(spec, { names: { kind: 'Example' } })], 'examples the short name ex: removed'],
  ['a removed version', [definition(spec, { versions: [] })], 'examples v1: not served'],
  ['a version that is not served', [definition(spec, {}, { served: false })], 'examples v1: not served'],
  ['a removed subresource', [definition(spec, {}, { subresources: {} })], 'examples the subresource status: removed'],
  [
    'a removed selectable field',
    [definition(spec, {}, { selectableFields: [] })],
    'examples the selectable field .spec.scope: removed',
  ],
])('%s is found', (_, present, what) => {
  expect(breaksOf(released, present)).toEqual([what]);
});

test.each<[string, Schema]>([
  ['an added optional field', { ...spec, properties: { ...properties, more: { type: 'string', maxLength: 1 } } }],
  ['an added value of an enum', withMember('mode', { enum: ['Observe', 'Enforce', 'Suspend'] })],
  ['looser bounds', withMember('limit', { minimum: undefined, maximum: 11 })],
  ['a removed pattern', withMember('scope', { pattern: undefined })],
  ['a removed rule, and other texts', { ...spec, 'x-kubernetes-validations': [], description: 'More.' }],
  ['a field that is required no more', { ...spec, required: [] }],
])('%s breaks nothing', (_, schema) => {
  expect(breaksOf(released, [definition(schema)])).toEqual([]);
});

test('the present definitions break nothing of the released ones', () => {
  const [recorded, present] = [readReleasedCrds(), readPresentCrds()];
  expect(recorded).toHaveLength(present.length);
  expect(breaksOf(recorded, present)).toEqual([]);
});
