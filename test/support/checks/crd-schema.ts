// Validates an object's status against the openAPIV3Schema of its CRD as an API server does: the structural part, written from
// the rules of Kubernetes, without CEL. A member that the schema does not know is a violation here, because the API server
// would drop it and the status would then be written again at every reconcile.
import { readFile } from 'node:fs/promises';

import { parse } from 'yaml';

import type { CrdSchema } from '../../../src/lib/crds.ts';

/** The schema of `spec` and `status`, from `crds/`. */
export async function crdSchema(plural: string): Promise<Readonly<Record<'spec' | 'status', CrdSchema>>> {
  const file = new URL(`../../../crds/rolealerts.dev_${plural}.yaml`, import.meta.url);
  const { spec } = parse(await readFile(file, 'utf8'));
  return spec.versions[0].schema.openAPIV3Schema.properties;
}

/** `PATH: WHAT` for everything that is wrong; empty for a valid value. */
export function schemaViolations(schema: CrdSchema, value: unknown, path = ''): string[] {
  const { type } = schema;
  if (!hasType(type, value)) return [`${path}: is not of type ${type}`];
  const wrongs = [
    ...(schema.enum && !(schema.enum as readonly unknown[]).includes(value) ? ['is not one of the enum'] : []),
    ...(typeof value === 'string' ? textWrongs(schema, value) : []),
    ...(typeof value === 'number' ? numberWrongs(schema, value) : []),
    ...(Array.isArray(value) ? listWrongs(schema, value) : []),
  ].map((what) => `${path}: ${what}`);
  return [...wrongs, ...memberViolations(schema, value, path)];
}

function hasType(type: string | undefined, value: unknown): boolean {
  switch (type) {
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

/** Lengths are counted in characters, not in UTF-16 units. */
function textWrongs(schema: CrdSchema, text: string): string[] {
  const { length } = Array.from(text);
  return [
    ...(length < (schema.minLength ?? 0) ? ['is too short'] : []),
    ...(length > (schema.maxLength ?? Infinity) ? ['is too long'] : []),
    ...(schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(text)
      ? ['does not fit the pattern']
      : []),
    ...(schema.format === 'date-time' && !isDateTime(text) ? ['is not a date-time'] : []),
    ...(text.isWellFormed() ? [] : ['would be mended on its way']),
  ];
}

function isDateTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) && !Number.isNaN(Date.parse(text));
}

function numberWrongs(schema: CrdSchema, number: number): string[] {
  const bits = { int32: 31, int64: 63 }[schema.format ?? ''] ?? Infinity;
  return [
    ...(number < (schema.minimum ?? -Infinity) || number < -(2 ** bits) ? ['is too small'] : []),
    ...(number > (schema.maximum ?? Infinity) || number >= 2 ** bits ? ['is too large'] : []),
  ];
}

function listWrongs(schema: CrdSchema, list: readonly unknown[]): string[] {
  const keys = schema['x-kubernetes-list-map-keys'];
  const named =
    keys && list.map((item) => JSON.stringify(keys.map((key) => (item as Record<string, unknown> | null)?.[key])));
  return [
    ...(list.length < (schema.minItems ?? 0) ? ['has too few items'] : []),
    ...(list.length > (schema.maxItems ?? Infinity) ? ['has too many items'] : []),
    ...(named && new Set(named).size < named.length ? ['has two items with one key'] : []),
    ...(schema['x-kubernetes-list-type'] === 'set' && new Set(list).size < list.length ? ['has an item twice'] : []),
  ];
}

function memberViolations(schema: CrdSchema, value: unknown, path: string): string[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.flatMap((item, index) => schemaViolations(items, item, `${path}[${index}]`)) : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const names = new Set(members.map(([name]) => name));
  const missing = (schema.required ?? []).filter((name) => !names.has(name));
  return [
    ...missing.map((name) => `${path}.${name}: is required`),
    ...members.flatMap(([name, member]) => {
      const known = schema.properties?.[name] ?? schema.additionalProperties;
      return known ? schemaViolations(known, member, `${path}.${name}`) : [`${path}.${name}: is not in the schema`];
    }),
  ];
}
