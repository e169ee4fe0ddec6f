// The chart without helm: its schema, and that its templates use every value and say what deploy/base says. `npm run check:chart` renders and
// installs it.
import { globSync, realpathSync } from 'node:fs';

import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { acceptedValues, refusedValues } from '../../support/checks/chart-cases.ts';
import { readText, root } from '../../support/checks/findings.ts';

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
}

type Values = Readonly<Record<string, unknown>>;

const chart = 'deploy/helm/rolealerts';
const schema = JSON.parse(readText(`${chart}/values.schema.json`).text) as Schema;
const defaults = parse(readText(`${chart}/values.yaml`).text) as Values;
const templates = globSync(`${chart}/templates/*`, { cwd: root })
  .map((file) => readText(file).text)
  .join('\n');
const validate = new Ajv({ strict: true, strictTypes: false, strictRequired: false }).compile(schema);

/** Every schema below, with its path. */
function schemasOf(of: Schema, path: string): (readonly [string, Schema])[] {
  const below = Object.entries(of.properties ?? {}).flatMap(([name, each]) => schemasOf(each, `${path}.${name}`));
  return [[path, of], ...below];
}

/** As Helm merges them: null removes a value. */
function merged(values: Values, over: Values): Values {
  const entries = Object.entries({ ...values, ...over })
    .filter(([, value]) => value !== null)
    .map(([name, value]) => {
      const usual = values[name];
      return [name, isMap(value) && isMap(usual) ? merged(usual, value) : value];
    });
  return Object.fromEntries(entries) as Values;
}

const isMap = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The paths of the values that users set. */
const valuePaths = schemasOf(schema, '').flatMap(([path, each]) => (each.default === undefined ? [] : [path]));

test('the schema describes every value and accepts no other', () => {
  const all = schemasOf(schema, '');
  const groups = all.filter(([, each]) => each.properties !== undefined);
  expect(groups.filter(([, each]) => each.additionalProperties !== false)).toEqual([]);
  const values = all.filter(([path]) => valuePaths.some((value) => value === path || value.startsWith(`${path}.`)));
  expect(values.filter(([path, each]) => path !== '' && each.description === undefined)).toEqual([]);
  expect(valuePaths.length).toBeGreaterThan(30);
});

test.each(Object.entries(acceptedValues))('accepts %s', (_, { values }) => {
  validate(merged(defaults, values as Values));
  expect(validate.errors ?? []).toEqual([]);
});

test.each(Object.entries(refusedValues))('refuses %s', (_, { values, at }) => {
  validate(merged(defaults, values as Values));
  expect(validate.errors?.map(({ instancePath }) => instancePath)).toContain(at);
});

test('the templates use every value, and no value that the schema does not have', () => {
  const used = [...templates.matchAll(/(?:\.Values|\$values)((?:\.\w+)+)/g)].map(([, path = '']) => path);
  expect([...new Set(used)].sort()).toEqual(valuePaths.toSorted());
});

test('the templates or the values have every line of deploy/base, apart from names and what values replace', () => {
  const here = new Set(`${templates}\n${readText(`${chart}/values.yaml`).text}`.split('\n').map((line) => line.trim()));
  const files = globSync('deploy/base/*.yaml', { cwd: root, exclude: ['**/kustomization.yaml', '**/namespace.yaml'] });
  const lines = files.sort().flatMap((file) =>
    readText(file)
      .text.split('\n')
      .map((line) => line.trim()),
  );
  const isName = (line: string) => /^(?:#|(?:\w*[nN]ame|namespace): rolealerts)/.test(line);
  expect(lines.filter((line) => !here.has(line) && !isName(line))).toEqual([
    'replicas: 2',
    'image: rolealerts',
    'imagePullPolicy: IfNotPresent',
    '- --metrics-bind-address=:8080',
    '- --health-probe-bind-address=:9440',
    'containerPort: 8080',
    'containerPort: 9440',
    'resourceNames: [rolealerts]',
    'metrics: enabled',
  ]);
});

test('the custom resources, the alerting rules and the dashboard are links, not copies', () => {
  const targetOf = (link: string) => realpathSync(new URL(`${chart}/files/${link}`, root));
  expect(['crds', 'rules.yaml', 'dashboard.json'].map(targetOf)).toEqual([
    new URL('crds', root).pathname,
    new URL('deploy/monitoring/rules.yaml', root).pathname,
    new URL('deploy/monitoring/dashboard.json', root).pathname,
  ]);
});

test('the chart requires the version of Kubernetes that the page names', () => {
  const [, oldest] = /Kubernetes (\d+\.\d+) or newer/.exec(readText('deploy/README.md').text) ?? [];
  expect(parse(readText(`${chart}/Chart.yaml`).text)).toMatchObject({ kubeVersion: `>=${oldest}.0-0` });
});
