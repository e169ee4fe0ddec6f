import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { AlertsService } from '../../../src/service/alerts-service.ts';
import { createAlertsService } from '../../../src/service/create-service.ts';
import { handClock, serviceOptions } from '../../support/servers/alerts-service.ts';

const scope = 'subscriptions/s';
const old = '2022-01-01T00:00:00Z';
const incident = (name: string) => ({ name, properties: { alertIncidentType: 'T', assigneeName: name } });

let service: AlertsService;
beforeEach(async () => {
  const properties = {
    isActive: true,
    lastModifiedDateTime: old,
    lastScannedDateTime: old,
    alertIncidents: [incident('1')],
  };
  const seed = { scopes: { [scope]: { value: [{ name: 'A', future: 1, properties }] } } };
  service = await createAlertsService(serviceOptions({ seed, clock: handClock() }));
});
afterEach(() => service.close());

const now = '2026-01-02T03:04:05.000Z';
const read = (name = 'A') => service.alerts.readAlert(scope, name);

describe('a scan', () => {
  test('puts other incidents in place, counts them, and dates both times', async () => {
    expect(await service.alerts.replaceIncidents('SUBSCRIPTIONS/s', 'a', [incident('1'), incident('2')])).toBe(true);
    expect(await read()).toMatchObject({
      future: 1,
      properties: {
        isActive: true,
        alertIncidents: [incident('1'), incident('2')],
        incidentCount: 2,
        lastModifiedDateTime: now,
        lastScannedDateTime: now,
      },
    });
  });

  test('that finds the same is a scan, not a modification', async () => {
    await service.alerts.replaceIncidents(scope, 'A', [incident('1')]);
    expect(await read()).toMatchObject({ properties: { lastModifiedDateTime: old, lastScannedDateTime: now } });
  });
});

describe('an alert', () => {
  test('is flipped by another actor', async () => {
    const who = { by: 'person@example.net', byType: 'User' } as const;
    expect(await service.alerts.setActive(scope, 'A', false, who)).toBe(true);
    expect(await service.alerts.setActive(scope, 'None', false, who)).toBe(false);
    expect(await read()).toMatchObject({
      properties: { isActive: false },
      systemData: { lastModifiedAt: now, lastModifiedBy: who.by, lastModifiedByType: 'User' },
    });
  });

  test.each([
    ['subscriptions/s', { name: 'A', properties: { isActive: 1 } }, 'alert.properties.isActive must be true or false'],
    ['subscriptions/s', {}, 'The alert name must not be empty, "." or ".."'],
    ['subscriptions/s', 'A', 'alert must be an object'],
    ['/s', { name: 'A' }, 'The scope must not start with a slash'],
  ])('at %s of the shape %j is refused', (scope, alert, problem) => {
    expect(() => service.alerts.putAlert(scope, alert)).toThrow(`Cannot store the alert: ${problem}.`);
  });
});
