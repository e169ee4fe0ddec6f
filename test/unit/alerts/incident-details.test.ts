// What `incidents --reveal` shows of an incident.
import { expect, test } from 'vitest';

import { incidentDetails } from '../../../src/alerts/incident-details.ts';

const page = (...incidents: readonly unknown[]) => ({
  value: [{ name: 'Owners', properties: { alertIncidents: incidents } }],
});

test('is every text that the service sent, whatever the variant of the incident', () => {
  const properties = { alertIncidentType: 'Later', assigneeName: 'Ada', roleName: 'Owner', count: 3, empty: '' };
  expect(incidentDetails(page({ name: 'a', properties }))).toEqual([
    { alert: 'Owners', id: 'a', type: 'Later', details: { assigneeName: 'Ada', roleName: 'Owner' } },
  ]);
});

test('has the last segment of the resource id where the name is missing', () => {
  expect(incidentDetails(page({ id: '/x/alertIncidents/b' }))[0]).toMatchObject({
    id: 'b',
    type: 'Unknown',
    details: {},
  });
});

test('cannot change a terminal, and has bounds', () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`m${index}`, 'x'.repeat(400)]));
  const [shown] = incidentDetails(page({ name: '\u001b[2Ja', properties: { a: 'Ada\u202e\n\u0007', ...many } }));
  expect(shown?.id).toBe('a');
  expect(shown?.details['a']).toBe('Ada');
  expect(Object.keys(shown?.details ?? {})).toHaveLength(32);
  expect(shown?.details['m0']).toHaveLength(256);
});

test.each([null, [], { value: null }, { value: [null, { properties: { alertIncidents: {} } }] }])(
  'is nothing for a page of another shape: %j',
  (json) => {
    expect(incidentDetails(json)).toEqual([]);
  },
);
