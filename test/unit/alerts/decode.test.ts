import { describe, expect, test } from 'vitest';

import { decodeAlertPage } from '../../../src/alerts/decode.ts';
import type { Alert } from '../../../src/alerts/types.ts';

/** An alert with everything that section 2 shows, personal data included. */
const full = {
  id: '/subscriptions/s1/providers/Vendor.Authorization/roleManagementAlerts/TooManyOwners',
  name: 'TooManyOwners',
  type: 'Vendor.Authorization/roleManagementAlerts',
  systemData: {
    lastModifiedAt: '2026-03-01T10:00:00Z',
    lastModifiedBy: 'canary.person@example.com',
    lastModifiedByType: 'User',
  },
  properties: {
    isActive: true,
    incidentCount: 3,
    scope: 'subscriptions/s1',
    lastModifiedDateTime: '2026-03-01T10:00:00.1234567Z',
    lastScannedDateTime: '0001-01-01T00:00:00Z',
    alertDefinition: { properties: { severityLevel: 'High', displayName: 'Too many owners' } },
    alertConfiguration: { properties: { isEnabled: false, alertConfigurationType: 'Something' } },
    alertIncidents: [
      {
        id: '/subscriptions/s1/x/alertIncidents/6f1c',
        name: '6f1c',
        properties: {
          alertIncidentType: 'TooManyOwnersAssignedToResourceAlertIncident',
          assigneeName: 'canary person',
          assigneeType: 'User',
        },
      },
      {
        id: '/subscriptions/s1/x/alertIncidents/77aa',
        properties: { alertIncidentType: 'NewKind', assigneeUserPrincipalName: 'canary@example.com' },
      },
    ],
  },
};

function decodeOne(change: object): Alert {
  const alert = { ...full, ...change };
  const { value, problems } = decodeAlertPage({ value: [alert] });
  if (!value?.alerts[0]) throw new Error(JSON.stringify(problems));
  return value.alerts[0];
}

const withProperties = (change: object) => ({ properties: { ...full.properties, ...change } });

describe('a page of alerts', () => {
  test('keeps what is needed and drops every name of a person', () => {
    const { value, problems } = decodeAlertPage({ value: [full], nextLink: 'next' });
    expect(problems).toEqual([]);
    expect(value).toEqual({
      nextLink: 'next',
      alerts: [
        {
          name: 'TooManyOwners',
          isActive: true,
          incidentCount: 3,
          incidents: [
            { id: '6f1c', type: 'TooManyOwnersAssignedToResourceAlertIncident' },
            { id: '77aa', type: 'NewKind' },
          ],
          severity: 'High',
          isScanned: false,
          lastActor: 'User',
          modifiedAtMs: Date.UTC(2026, 2, 1, 10, 0, 0, 123),
          scannedAtMs: undefined,
          systemModifiedAtMs: Date.UTC(2026, 2, 1, 10),
        },
      ],
    });
    expect(JSON.stringify(value)).not.toContain('canary');
  });

  test('may leave out everything that the specification calls optional', () => {
    const { value } = decodeAlertPage({ value: [{ name: 'A', properties: {} }] });
    expect(value?.alerts).toEqual([
      {
        name: 'A',
        isActive: false,
        incidentCount: 0,
        incidents: [],
        severity: undefined,
        isScanned: undefined,
        lastActor: 'Unknown',
        modifiedAtMs: undefined,
        scannedAtMs: undefined,
        systemModifiedAtMs: undefined,
      },
    ]);
  });

  test.each([
    { name: 'absent', nextLink: undefined },
    { name: 'null', nextLink: null },
    { name: 'empty', nextLink: '' },
  ])('is the last one when its nextLink is $name', ({ nextLink }) => {
    expect(decodeAlertPage({ value: [], nextLink }).value).toEqual({ alerts: [], nextLink: undefined });
  });

  test.each([
    { name: 'null', json: null, path: '' },
    { name: 'no value', json: {}, path: 'value' },
    { name: 'a number as nextLink', json: { value: [], nextLink: 1 }, path: 'nextLink' },
    { name: 'an alert without properties', json: { value: [{ name: 'A' }] }, path: 'value[0].properties' },
    { name: 'an alert without a name', json: { value: [{ properties: {} }] }, path: 'value[0].name' },
    { name: 'a name that is not clean', json: { value: [{ ...full, name: 'A\u202eB' }] }, path: 'value[0].name' },
    { name: 'an alert whose name climbs', json: { value: [{ ...full, name: '..' }] }, path: 'value[0].name' },
    { name: 'a name that is too long', json: { value: [{ ...full, name: 'x'.repeat(257) }] }, path: 'value[0].name' },
  ])('fails as a whole for $name', ({ json, path }) => {
    const { value, problems } = decodeAlertPage(json);
    expect(value).toBeUndefined();
    expect(problems.map((problem) => problem.path)).toContain(path);
  });

  test.each<[string, object, string]>([
    ['null as isActive', { isActive: null }, 'isActive'],
    ['a text as incidentCount', { incidentCount: '3' }, 'incidentCount'],
    ['a negative incidentCount', { incidentCount: -1 }, 'incidentCount'],
    ['a text among the incidents', { alertIncidents: ['x'] }, 'alertIncidents[0]'],
  ])('fails as a whole for %s', (_, change, path) => {
    const { value, problems } = decodeAlertPage({ value: [{ ...full, ...withProperties(change) }] });
    expect(value).toBeUndefined();
    expect(problems.map((problem) => problem.path)).toContain(`value[0].properties.${path}`);
  });

  test('names the first ten problems only', () => {
    expect(decodeAlertPage({ value: Array.from({ length: 1000 }, () => null) }).problems).toHaveLength(10);
  });
});

describe('an alert', () => {
  test('takes its name from the id when it has none', () => {
    expect(decodeOne({ name: undefined }).name).toBe('TooManyOwners');
  });

  test('has as many incidents as were counted or sent, whichever is more', () => {
    expect(decodeOne(withProperties({ incidentCount: 9 })).incidentCount).toBe(9);
    expect(decodeOne(withProperties({ incidentCount: 2 ** 40 })).incidentCount).toBe(2 ** 31 - 1);
    expect(decodeOne(withProperties({ incidentCount: 1 })).incidentCount).toBe(2);
    expect(decodeOne(withProperties({ incidentCount: null })).incidentCount).toBe(2);
  });

  test('keeps an unknown severity and actor', () => {
    expect(decodeOne(withProperties({ alertDefinition: { properties: { severityLevel: 'Critical' } } })).severity).toBe(
      'Critical',
    );
    expect(decodeOne({ systemData: { lastModifiedByType: 'constructor' } }).lastActor).toBe('Unknown');
    expect(decodeOne({ systemData: { lastModifiedByType: 'managedidentity' } }).lastActor).toBe('ManagedIdentity');
  });

  test.each([
    { sent: '2026-03-01t12:00:00+02:00', timeMs: Date.UTC(2026, 2, 1, 10) },
    { sent: '2026-03-01 10:00:00', timeMs: Date.UTC(2026, 2, 1, 10) },
    { sent: '0001-01-01T00:00:00Z', timeMs: undefined },
    { sent: '2026-13-01T10:00:00Z', timeMs: undefined },
    { sent: '1', timeMs: undefined },
    { sent: 1_700_000_000, timeMs: undefined },
  ])('was modified at $timeMs when the service says $sent', ({ sent, timeMs }) => {
    expect(decodeOne(withProperties({ lastModifiedDateTime: sent })).modifiedAtMs).toBe(timeMs);
  });
});

describe('an incident', () => {
  const idOf = (name: unknown) =>
    decodeOne(withProperties({ alertIncidents: [{ name, properties: {} }] })).incidents[0]?.id;

  test('whose forged id resembles another one does not become equal to it', () => {
    expect(idOf('6f1c\u200b')).toBe('6f1c…');
    expect(idOf(' 6f1c')).toBe('6f1c…');
    expect(idOf(`${'x'.repeat(256)}y`)).toMatch(/^x{255}…$/);
  });

  test('keeps an id with letters of other scripts', () => {
    expect(idOf('vörfall 7')).toBe('vörfall 7');
  });

  test('without properties is of an unknown type', () => {
    expect(decodeOne(withProperties({ alertIncidents: [{ name: 'x' }] })).incidents).toEqual([
      { id: 'x', type: 'Unknown' },
    ]);
  });
});
