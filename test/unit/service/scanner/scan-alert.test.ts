// The effect of a scan on one alert, and when it changes the flag.
import { describe, expect, test } from 'vitest';

import type { JsonObject } from '../../../../src/lib/json-shape.ts';
import { alertKinds, defaultThresholds } from '../../../../src/service/scanner/kinds.ts';
import { isScanned, scanAlert, thresholdsOf } from '../../../../src/service/scanner/scan-alert.ts';

const kind = 'TooManyOwnersAssignedToResource';
const nowMs = Date.UTC(2026, 0, 1);
const place = { scope: 's', kind, providerNamespace: 'N', nowMs, defaults: defaultThresholds } as const;
const findings = (...names: string[]) => names.map((about) => ({ about, properties: { assigneeName: about } }));

interface Seen {
  readonly properties: JsonObject & { readonly alertIncidents: readonly { readonly name: string }[] };
  readonly systemData?: JsonObject;
}

const scanned = (before: JsonObject | undefined, names: string[], at = place) =>
  scanAlert(before, findings(...names), at).alert as JsonObject & Seen;
const withFlag = (alert: JsonObject & Seen, isActive: boolean) => ({
  ...alert,
  properties: { ...alert.properties, isActive },
});
const later = { ...place, nowMs: nowMs + 60_000 };

describe('the flag', () => {
  test.each<[string, string[], boolean, string[], boolean]>([
    ['a first finding raises the alert', [], false, ['a'], true],
    ['a new finding raises it beside old ones', ['a'], false, ['a', 'b'], true],
    ['what is still there does not raise it again', ['a', 'b'], false, ['a', 'b'], false],
    ['the end of the last finding clears it', ['a'], true, [], false],
    ['a part of the findings gone does not clear it', ['a', 'b'], true, ['b'], true],
    ['no findings as before leave an alert that a person activated', [], true, [], true],
  ])('%s', (_, known, isActive, names, expected) => {
    const before = withFlag(scanned(undefined, known), isActive);
    const { alert, isRaised, isCleared } = scanAlert(before, findings(...names), later);
    expect((alert['properties'] as JsonObject)['isActive']).toBe(expected);
    expect({ isRaised, isCleared }).toEqual({ isRaised: expected && !isActive, isCleared: isActive && !expected });
  });
});

test('the id of an incident extends that of its alert, in the same spelling', () => {
  const before = { ...scanned(undefined, []), id: '/S/providers/N/roleManagementAlerts/Owners' };
  const [incident] = scanned(before, ['a']).properties.alertIncidents as readonly { id: string; name: string }[];
  expect(incident?.id).toBe(`/S/providers/N/roleManagementAlerts/Owners/alertIncidents/${incident?.name}`);
});

describe('what a scan changes', () => {
  const times = ({ properties, systemData }: Seen) => [
    properties['lastScannedDateTime'],
    properties['lastModifiedDateTime'],
    systemData?.['lastModifiedAt'],
  ];
  const [first, second] = [nowMs, later.nowMs].map((timeMs) => new Date(timeMs).toISOString());
  const before = scanned(undefined, ['a']);

  test.each([['a new incident', ['a', 'b']]])('updates all times after %s', (_, names) => {
    expect(times(scanned(before, names, later))).toEqual([second, second, second]);
  });

  test('updates all times after an incident changes its text, and keeps its id', () => {
    const { alert } = scanAlert(before, [{ about: 'a', properties: { assigneeName: 'Ada' } }], later);
    expect(times(alert as JsonObject & Seen)).toEqual([second, second, second]);
    expect((alert as JsonObject & Seen).properties.alertIncidents[0]?.name).toBe(
      before.properties.alertIncidents[0]?.name,
    );
  });

  test('is nothing that the alert holds beside section 2', () => {
    const seeded = { name: kind, futureMember: 1, properties: { futureProperty: 2, alertConfiguration: null } };
    const { futureMember, properties } = scanned(seeded, ['a']);
    expect([futureMember, properties['futureProperty'], properties['alertConfiguration']]).toEqual([1, 2, null]);
  });

  test('is who modified it last, not who created it', () => {
    const seeded = { name: kind, systemData: { createdBy: 'person' }, properties: {} };
    expect(scanned(seeded, ['a']).systemData).toEqual({
      createdBy: 'person',
      lastModifiedAt: first,
      lastModifiedBy: 'scanner',
      lastModifiedByType: 'Application',
    });
  });
});

describe('the id of an incident', () => {
  const idOf = (about: string, at: Partial<typeof place> | { scope: string; kind: (typeof alertKinds)[number] } = {}) =>
    (scanAlert(undefined, findings(about), { ...place, ...at }).alert as JsonObject & Seen).properties.alertIncidents[0]
      ?.name;

  test('is that of what it is about, its kind and its scope, whatever the case of the scope', () => {
    const all = [idOf('a'), idOf('b'), idOf('a', { scope: 't', kind }), idOf('a', { scope: 's', kind: alertKinds[0] })];
    expect(new Set(all).size).toBe(4);
    expect(idOf('a', { scope: 'S', kind })).toBe(idOf('a'));
  });
});

describe('the configuration', () => {
  const names = ['thresholdNumberOfOwners', 'thresholdPercentageOfOwnersOutOfAllRoleMembers'] as const;
  const stored = (properties: JsonObject, systemData?: JsonObject) => ({
    name: kind,
    properties: { alertConfiguration: { ...(systemData && { systemData }), properties } },
  });
  const changed = { ...defaultThresholds, thresholdNumberOfOwners: 77 };

  test('of the alert goes before that of the scanner, member by member', () => {
    const thresholds = thresholdsOf(stored({ [names[0]]: 9 }), kind, changed);
    expect(thresholds).toEqual({ [names[0]]: 9, [names[1]]: defaultThresholds[names[1]] });
  });

  test('of another author is never rewritten', () => {
    const before = stored({ [names[0]]: 9 });
    const after = scanAlert(before, [], { ...place, defaults: changed }).alert as JsonObject & Seen;
    expect(after.properties['alertConfiguration']).toEqual(before.properties.alertConfiguration);
  });

  test('that the scanner wrote follows the file of the scanner, and that is a modification', () => {
    const before = scanned(undefined, []);
    const after = scanAlert(before, [], { ...later, defaults: changed }).alert as JsonObject & Seen;
    const at = new Date(later.nowMs).toISOString();
    expect(after.properties).toMatchObject({
      alertConfiguration: { systemData: { lastModifiedAt: at }, properties: { [names[0]]: 77, isEnabled: true } },
      lastModifiedDateTime: at,
    });
    expect(thresholdsOf(before, kind, changed)).toMatchObject({ [names[0]]: 77 });
  });

  test('that a person wrote last is theirs, although the scanner created it', () => {
    const before = stored({ [names[0]]: 9 }, { createdBy: 'scanner', lastModifiedBy: 'person' });
    expect(thresholdsOf(before, kind, changed)).toMatchObject({ [names[0]]: 9 });
  });

  test.each([
    [stored({ isEnabled: false }), false],
    [stored({}), true],
    [stored({ isEnabled: null }), true],
  ])('%j is scanned: %s', (alert, expected) => {
    expect(isScanned(alert)).toBe(expected);
  });
});
