import { describe, expect, test } from 'vitest';

import { decodeSeed as decodeLazily, parseSeedText, type Seeded } from '../../../src/service/alerts/seed.ts';
import { storeSeed } from '../../../src/service/alerts/store-seed.ts';
import { openDatabase } from '../../../src/service/database/open-database.ts';
import { refusalOf } from '../../support/checks/refusal.ts';

const place = { providerNamespace: 'Vendor.Authorization', nowMs: 0 };

/** The scopes with their alerts. */
function decodeSeed(...seed: Parameters<typeof decodeLazily>) {
  const byScope = Map.groupBy(decodeLazily(...seed), ({ scope }) => scope);
  const alertsOf = (all: readonly Seeded[]) => all.flatMap(({ alert }) => alert ?? []);
  return Array.from(byScope, ([scope, all]) => ({ scope, alerts: alertsOf(all) }));
}

const refusal = (text: string) => refusalOf(() => decodeSeed(parseSeedText(text, 'seed.yaml'), 'seed.yaml', place));

describe('a seed', () => {
  test('may be YAML or JSON and says the same in both', () => {
    const yaml = 'scopes:\n  subscriptions/s:\n    value:\n      - {name: A, properties: {isActive: true}}\n';
    const json = '{"scopes":{"subscriptions/s":{"value":[{"name":"A","properties":{"isActive":true}}]}}}';
    const [fromYaml, fromJson] = [yaml, json].map((text) => decodeSeed(parseSeedText(text, 'x'), 'x', place));
    expect(fromYaml).toEqual(fromJson);
    expect(fromJson).toMatchObject([{ scope: 'subscriptions/s', alerts: [{ name: 'A', isActive: true }] }]);
  });

  test('names an alert by the end of its id when it has no name', () => {
    const [scope] = decodeSeed({ scopes: { s: { value: [{ id: '/s/providers/x/y/FromId' }] } } }, 'x', place);
    expect(scope?.alerts[0]?.name).toBe('FromId');
  });

  test.each([
    { etag: 'x', tags: {}, kind: 'x', properties: { note: 'x', assigneeCount: 1, alertDefinitionType: 'x' } },
    // Not misspelt: the known member is there as well.
    { type: 'x', types: [], properties: { scope: 's', scopes: [] } },
  ])('may have members that the specification does not define: %j', (members) => {
    const [scope] = decodeSeed({ scopes: { s: { value: [{ name: 'A', ...members }] } } }, 'x', place);
    const { properties, ...others } = members;
    expect(JSON.parse(`{${scope?.alerts[0]?.members}}`)).toMatchObject(others);
    expect(JSON.parse(`{${scope?.alerts[0]?.properties}}`)).toMatchObject(properties);
  });

  test.each([-(2 ** 31), -1, 0, 2 ** 31 - 1])('may have %s for a count', (incidentCount) => {
    const value = [{ name: 'A', properties: { incidentCount } }];
    expect(decodeSeed({ scopes: { s: { value } } }, 'x', place)).toHaveLength(1);
  });

  test('may have null in every resource of an alert', () => {
    const empty = { id: null, name: null, type: null, systemData: null, properties: null };
    const properties = { alertConfiguration: empty, alertDefinition: empty, alertIncidents: [empty] };
    const [scope] = decodeSeed({ scopes: { s: { value: [{ ...empty, name: 'A', properties }] } } }, 'x', place);
    expect(JSON.parse(`{${scope?.alerts[0]?.properties}}`)).toMatchObject(properties);
  });

  test('with an alert of a wrong shape has one sentence for it', () => {
    const text = refusal('{scopes: {s: {value: [{name: 1}, {name: a/b, properties: {isActive: 1}}]}}}');
    expect(text.match(/value\[0\]/g)).toHaveLength(1);
    expect(text.match(/value\[1\]/g)).toHaveLength(1);
  });

  test.each([
    ['scope is not a known member: write scopes; scopes is missing', 'scope: {}'],
    ['scopes["/s"]: The scope must not start with a slash', '{scopes: {/s: {value: []}}}'],
    ['scopes["S"] repeats an earlier one (names are case-insensitive)', '{scopes: {s: {value: []}, S: {value: []}}}'],
    [
      'scopes["s"].nextLink must be absent: put the alerts of every page into value',
      '{scopes: {s: {value: [], nextLink: "http://x"}}}',
    ],
    ['scopes["s"].value[0].name: The alert name must not be empty, "." or ".."', '{scopes: {s: {value: [{}]}}}'],
    [
      'scopes["s"].value[1].name repeats an earlier one (names are case-insensitive)',
      '{scopes: {s: {value: [{name: A}, {name: a}]}}}',
    ],
    [
      'scopes["s"].value[0] is nested too deeply',
      `{"scopes": {"s": {"value": [{"name": "A", "x": ${'['.repeat(20_000)}${']'.repeat(20_000)}}]}}}`,
    ],
  ])('is refused with a sentence that names the place: %s', (problem, text) => {
    expect(refusal(text)).toBe(`The seed seed.yaml is invalid: ${problem}.`);
  });

  test.each([
    ['.properties.isactive is not a known member: write isActive', 'properties: {isactive: true}'],
    [
      '.properties.alertIncidents[0].properties.asigneeName is not a known member: write assigneeName',
      'properties: {alertIncidents: [{properties: {asigneeName: B}}]}',
    ],
    ['.properties.isActive must be true or false', 'properties: {isActive: "yes"}'],
    ['.properties.incidentCount must be a whole number of 32 bits', 'properties: {incidentCount: -2147483649}'],
    ['.properties.incidentCount must be a whole number of 32 bits', 'properties: {incidentCount: 2147483648}'],
    [
      '.properties.alertIncidents[1].properties.assigneeName must be text',
      'properties: {alertIncidents: [{}, {properties: {assigneeName: 7}}]}',
    ],
    ['.id must end in the name "A"', 'id: /s/providers/x/y/B'],
    [
      '.properties.alertConfiguration.properties.isEnabled must be true or false',
      'properties: {alertConfiguration: {properties: {isEnabled: "no"}}}',
    ],
  ])('is refused when its alert is wrong: %s', (problem, members) => {
    const text = `{scopes: {s: {value: [{name: A, ${members}}]}}}`;
    expect(refusal(text)).toBe(`The seed seed.yaml is invalid: scopes["s"].value[0]${problem}.`);
  });

  test('names the line and column of a problem', () => {
    const text = 'scopes:\n  s: {value: [\n    {}]}\n';
    expect(refusalOf(() => decodeSeed(parseSeedText(text, 's.yaml'), 's.yaml', place, text))).toBe(
      'The seed s.yaml is invalid: scopes["s"].value[0].name: The alert name must not be empty, "." or ".." (line 3, column 5).',
    );
  });

  test('names the place of the right one of several similar names', () => {
    const text =
      '{"scopes": {"a": {"value": []},\n "a.value": {"value": 1},\n "a\\"].value": {"value": 2},\n "/x": {"value": []}}}';
    const document = parseSeedText(text, 'x');
    const sentence = refusalOf(() => decodeSeed(document, 'x', place, text));
    const places = [...sentence.matchAll(/line (\d+), column (\d+)/g)].map(([, line, column]) => [line, column]);
    expect(places).toEqual([
      ['2', '14'],
      ['3', '17'],
      ['4', '2'],
    ]);
  });

  test('is decoded alert by alert, so that they are never all in memory', () => {
    const [first, second] = [{ name: 'A' }, { name: 'B' } as Record<string, unknown>];
    const seeded = decodeLazily({ scopes: { s: { value: [first, second] } } }, 'x', place)[Symbol.iterator]();
    expect([seeded.next().value, seeded.next().value]).toMatchObject([{ scope: 's' }, { alert: { name: 'A' } }]);
    second['name'] = 'C';
    expect(seeded.next().value).toMatchObject({ alert: { name: 'C' } });
    expect(seeded.next().done).toBe(true);
  });

  test('with a problem after many alerts is not stored at all', async () => {
    const value = [...Array.from({ length: 1000 }, (_, index) => ({ name: `A${index}` })), { name: 'a/b' }];
    const database = openDatabase(undefined);
    const { alerts } = database;
    const store = async (list: readonly unknown[]) =>
      alerts.transaction((tx) => storeSeed(tx, decodeLazily({ scopes: { s: { value: list } } }, 'x', place)));
    await expect(store(value)).rejects.toThrow('value[1000].name: The alert name must not contain a slash');
    expect(await alerts.isEmpty()).toBe(true);
    expect(await store(value.slice(0, -1))).toEqual({ scopes: 1, alerts: 1000 });
    expect(await alerts.countAlerts()).toEqual({ active: 0, inactive: 1000 });
    await database.close();
  });

  test('that is an alias bomb is refused', () => {
    expect(refusal(bomb())).toMatch(/^The seed seed.yaml is neither JSON nor YAML: Excessive alias count/);
  });
});

function bomb(): string {
  const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 9; level += 1) {
    lines.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')}]`);
  }
  return lines.join('\n');
}
