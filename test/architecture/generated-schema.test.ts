// The rules of the schemas in crds/ that need no API server to check: everything bounded,
// everything described, no default where GitOps tools would see a difference, every rule with a sentence of its own.
import { readFile } from 'node:fs/promises';

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

interface Rule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly fieldPath?: string;
}

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly items?: Schema;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly Rule[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

interface Node {
  readonly path: string;
  readonly schema: Schema;
}

const root = new URL('../..', import.meta.url);
const files = [
  'crds/rolealerts.dev_rolealertpolicies.yaml',
  'crds/rolealerts.dev_rolealertconnections.yaml',
  'crds/rolealerts.dev_clusterrolealertconnections.yaml',
];
const maxFileBytes = 60 * 1024;

function nodesOf(schema: Schema, path: string): Node[] {
  const members = Object.entries(schema.properties ?? {}).flatMap(([key, member]) => nodesOf(member, `${path}.${key}`));
  return [{ path, schema }, ...members, ...(schema.items ? nodesOf(schema.items, `${path}[]`) : [])];
}

async function rootOf(file: string): Promise<Schema> {
  const crd = parse(await readFile(new URL(file, root), 'utf8'));
  return crd.spec.versions[0].schema.openAPIV3Schema;
}

async function schemaOf(file: string): Promise<Readonly<Record<'spec' | 'status', Schema>>> {
  return (await rootOf(file)).properties as Readonly<Record<'spec' | 'status', Schema>>;
}

describe.each(files)('%s', async (file) => {
  const text = await readFile(new URL(file, root), 'utf8');
  const { spec, status } = await schemaOf(file);
  const nodes = [...nodesOf(spec, 'spec'), ...nodesOf(status, 'status')];
  const pathsWhere = (broken: (schema: Schema, path: string) => boolean) =>
    nodes.filter(({ schema, path }) => broken(schema, path)).map(({ path }) => path);
  const rules = [{ path: '', schema: await rootOf(file) }, ...nodes].flatMap(({ path, schema }) =>
    (schema['x-kubernetes-validations'] ?? []).map((rule) => ({ path, rule })),
  );

  test('is small enough for every tool that keeps it in an annotation', () => {
    expect(Buffer.byteLength(text)).toBeLessThan(maxFileBytes);
  });

  test('every text and every list has a bound', () => {
    const isOpen = (schema: Schema) => schema.enum === undefined && schema.format === undefined && !schema.maxLength;
    expect(pathsWhere((schema) => schema.type === 'string' && isOpen(schema))).toEqual([]);
    expect(pathsWhere((schema) => schema.type === 'array' && schema.maxItems === undefined)).toEqual([]);
    expect(pathsWhere((schema) => schema.type === 'integer' && schema.minimum === undefined)).toEqual([]);
  });

  test('every list says how it is merged', () => {
    expect(pathsWhere((schema) => schema.type === 'array' && !schema['x-kubernetes-list-type'])).toEqual([]);
  });

  test('the status as a whole is one field to field managers, and nothing else is', () => {
    expect(pathsWhere((schema) => schema['x-kubernetes-map-type'] === 'atomic')).toEqual(['status']);
  });

  test('nothing unknown is kept', () => {
    expect(pathsWhere((schema) => schema['x-kubernetes-preserve-unknown-fields'] !== undefined)).toEqual([]);
    // Label selectors have the form of Kubernetes.
    const isOpen = (schema: Schema, path: string) =>
      schema.additionalProperties !== undefined && !path.endsWith('.matchLabels');
    expect(pathsWhere(isOpen)).toEqual([]);
  });

  test('no item of a list has a default', () => {
    expect(pathsWhere((schema, path) => path.includes('[]') && schema.default !== undefined)).toEqual([]);
  });

  test('a default in an object is reached, because the object has one too or is required', () => {
    const required = new Set(['spec.connectionRef', 'spec.endpoint', 'spec.endpoint.caBundleRef']);
    const hasDefaults = ({ properties = {} }: Schema) => Object.values(properties).some((one) => 'default' in one);
    const unreached = pathsWhere((schema) => hasDefaults(schema) && !('default' in schema));
    expect(unreached.filter((path) => path !== 'spec' && !required.has(path))).toEqual([]);
  });

  test('booleans are rare: only suspend, dismissalsNeedEnd, and truncated in the status', () => {
    const names = new Set(['spec.suspend', 'spec.limits.dismissalsNeedEnd', 'status.alerts[].incidents.truncated']);
    expect(pathsWhere((schema, path) => schema.type === 'boolean' && !names.has(path))).toEqual([]);
  });

  test('everything is described in whole sentences, and paragraphs are not broken by hand', () => {
    const isSentence = (text = '') => /^[A-Za-z].*[.]$/s.test(text);
    const isPlainItem = (path: string, schema: Schema) => path.endsWith('[]') && schema.type === 'string';
    expect(pathsWhere((schema, path) => !isPlainItem(path, schema) && !isSentence(schema.description))).toEqual([]);
    expect(pathsWhere((schema) => schema.description?.includes('\n') ?? false)).toEqual([]);
  });

  test('the description of a field names its default', () => {
    const isNamed = ({ description = '', default: value }: Schema) =>
      typeof value === 'object' || description.includes(JSON.stringify(value).replaceAll('"', ''));
    expect(pathsWhere((schema, path) => path.startsWith('spec') && 'default' in schema && !isNamed(schema))).toEqual(
      [],
    );
  });

  test('every rule answers with a sentence that names its field and, after a colon, the way out', () => {
    const unclear = rules.filter(({ path, rule }) => {
      const field = (rule.fieldPath ?? path).replaceAll('[]', '').split('.').pop() ?? '';
      return !rule.message?.includes(field) || !/: [a-z]/.test(rule.message);
    });
    expect(rules.length).toBeGreaterThan(10);
    expect(unclear.map(({ path, rule }) => `${path}: ${rule.message}`)).toEqual([]);
  });
});

test('conditions are the same in both, and those of every Kubernetes API', async () => {
  const [policy, connection] = await Promise.all(files.map(schemaOf));
  const condition = policy?.status.properties?.['conditions']?.items;
  expect(connection?.status.properties?.['conditions']?.items).toEqual(condition);
  expect(condition).toMatchObject({
    required: ['type', 'status', 'lastTransitionTime', 'reason', 'message'],
    properties: {
      type: { maxLength: 316 },
      status: { enum: ['True', 'False', 'Unknown'] },
      observedGeneration: { minimum: 0, format: 'int64' },
      lastTransitionTime: { format: 'date-time' },
      reason: { minLength: 1, maxLength: 1024, pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$' },
      message: { maxLength: 32_768 },
    },
  });
});
