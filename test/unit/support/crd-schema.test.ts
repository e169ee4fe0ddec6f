// The check of statuses against the CRDs can fail: every kind of violation is found, and a valid value has none.
import { expect, it } from 'vitest';

import { inSyncRow } from '../../support/builders/objects.ts';
import { crdSchema, schemaViolations } from '../../support/checks/crd-schema.ts';

const { status: schema } = await crdSchema('rolealertpolicies');

const condition = {
  type: 'Ready',
  status: 'True',
  observedGeneration: 1,
  lastTransitionTime: '2026-06-01T12:00:00Z',
  reason: 'Succeeded',
  message: '',
};
const row = inSyncRow('A');

it('a valid status has no violations', () => {
  expect(schemaViolations(schema, { observedGeneration: 1, conditions: [condition], alerts: [row] })).toEqual([]);
});

it.each([
  ['a wrong type', { observedGeneration: '1' }, '.observedGeneration: is not of type integer'],
  ['a list for an object', { summary: [] }, '.summary: is not of type object'],
  ['a missing member', { conditions: [{ ...condition, reason: undefined }] }, '.conditions[0].reason: is required'],
  ['an unknown member', { extra: 1 }, '.extra: is not in the schema'],
  ['a foreign enum value', { alerts: [{ ...row, want: 'active' }] }, '.alerts[0].want: is not one of the enum'],
  ['an empty name', { alerts: [{ ...row, name: '' }] }, '.alerts[0].name: is too short'],
  ['a long name', { alerts: [{ ...row, name: '語'.repeat(257) }] }, '.alerts[0].name: is too long'],
  ['half a character', { lastHandledReconcileAt: '\ud83d' }, '.lastHandledReconcileAt: would be mended on its way'],
  [
    'a word that fits no pattern',
    { conditions: [{ ...condition, reason: 'a b' }] },
    '.conditions[0].reason: does not fit the pattern',
  ],
  [
    'a time without a zone',
    { conditions: [{ ...condition, lastTransitionTime: '2026-06-01T12:00:00' }] },
    '.conditions[0].lastTransitionTime: is not a date-time',
  ],
  ['a number below the least', { observedGeneration: -2 }, '.observedGeneration: is too small'],
  [
    'a number beyond 32 bits',
    { alerts: [{ ...row, incidents: { total: 2 ** 31 } }] },
    '.alerts[0].incidents.total: is too large',
  ],
  [
    'too many items',
    { conditions: Array.from({ length: 17 }, (_, index) => ({ ...condition, type: `T${index}` })) },
    '.conditions: has too many items',
  ],
  ['two items with one key', { alerts: [row, row] }, '.alerts: has two items with one key'],
])('%s is found', (_, status, violation) => {
  expect(schemaViolations(schema, status)).toEqual([violation]);
});

it('lengths are characters: 256 emoji fit where 256 do', () => {
  expect(schemaViolations(schema, { lastHandledReconcileAt: '😀'.repeat(256) })).toEqual([]);
});
