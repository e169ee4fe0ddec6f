// Validates a manifest against the schema of its CRD, except for the CEL rules. The schema of a CRD is not quite a JSON Schema:
// fields that it does not name are refused, and lists with keys hold each key once.
import type { ErrorObject, ValidateFunction } from 'ajv';

import { nearestOf } from '../../lib/compare-text.ts';
import type { CrdSchema, CustomResource } from '../../lib/crds.ts';
import { isObject } from '../../lib/json-shape.ts';
import { compileSchema } from './compile-schema.ts';
import { type Check, errorAt, type FieldPath, type Problem, unknownField } from './problem.ts';

export type SchemaCheck = (value: unknown) => readonly Problem[];

export function schemaCheck(resource: CustomResource): SchemaCheck {
  const validate = compileSchema(resource);
  return (value) => [...schemaErrors(validate, value), ...duplicates(value, resource.schema, [])];
}

function schemaErrors(validate: ValidateFunction, value: unknown): readonly Problem[] {
  return validate(value) ? [] : (validate.errors ?? []).map(problemOf);
}

function problemOf(error: ErrorObject): Problem {
  const path = pathOf(error.instancePath);
  const problem: NewProblem = (check, message, fix) => errorAt(check, path, message, fix);
  const { keyword, params, data, parentSchema } = error;
  switch (keyword) {
    case 'additionalProperties': {
      const known = Object.keys((parentSchema as CrdSchema).properties ?? {});
      return unknownField(path, String(params['additionalProperty']), known);
    }
    case 'required': {
      const name = String(params['missingProperty']);
      return errorAt('required-field', [...path, name], 'the field is required', `add ${name}`);
    }
    case 'type': {
      const message = `the value must be ${articled(String(params['type']))}, not ${articled(typeName(data))}`;
      return problem('wrong-type', message, textFix(error));
    }
    case 'enum':
      return enumProblem(problem, params['allowedValues'] as readonly unknown[], data);
    case 'maxLength':
    case 'maxItems':
      return problem('too-long', boundMessage(keyword, params));
    default:
      return problem('out-of-bounds', boundMessage(keyword, params));
  }
}

/** For plain words and numbers that YAML reads as no text, such as `y`, `on` and `1.0`. Of an enumeration, another problem names the values. */
function textFix({ params, data, parentSchema }: ErrorObject): string | undefined {
  const isPlain = typeof data === 'boolean' || typeof data === 'number';
  const isFree = params['type'] === 'string' && (parentSchema as CrdSchema).enum === undefined;
  return isPlain && isFree ? 'put it in quotes' : undefined;
}

type NewProblem = (check: Check, message: string, fix?: string) => Problem;

function enumProblem(problem: NewProblem, allowed: readonly unknown[], data: unknown): Problem {
  const words = allowed.map(String);
  const close = typeof data === 'string' ? nearestOf(data, words) : undefined;
  const message = `${JSON.stringify(data)} is not one of ${words.join(', ')}`;
  return problem('unsupported-value', message, close === undefined ? undefined : `write ${close}`);
}

/** Of each keyword, before and after its limit. */
const bounds: Readonly<Record<string, readonly [string, string?]>> = {
  minLength: ['the text needs at least', ' characters'],
  maxLength: ['the text may have at most', ' characters'],
  minItems: ['the list needs at least', ' items'],
  maxItems: ['the list may have at most', ' items'],
  minimum: ['the number must be at least'],
  maximum: ['the number must be at most'],
  pattern: ['the text does not match'],
};

function boundMessage(keyword: string, { limit, pattern }: Readonly<Record<string, unknown>>): string {
  const words = bounds[keyword];
  if (!words) return `the value breaks the bound ${keyword} of the schema`;
  return `${words[0]} ${String(limit ?? pattern)}${words[1] ?? ''}`;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

const names: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a text',
};

const articled = (type: string) => names[type] ?? type;

/** A JSON pointer (RFC 6901) as a path. A segment of digits is an index: no field of the CRDs has such a name. */
function pathOf(pointer: string): FieldPath {
  const segments = pointer.split('/').slice(1);
  return segments
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((segment) => (/^\d+$/.test(segment) ? Number(segment) : segment));
}

/** Items of a list of type map that repeat a key. */
function duplicates(value: unknown, schema: CrdSchema, path: FieldPath): readonly Problem[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    const below = items ? value.flatMap((item: unknown, index) => duplicates(item, items, [...path, index])) : [];
    return [...repeated(value, schema, path), ...below];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const known = schema.properties?.[name];
    return known ? duplicates(member, known, [...path, name]) : [];
  });
}

function repeated(list: readonly unknown[], schema: CrdSchema, path: FieldPath): readonly Problem[] {
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'map' && type !== 'set') return [];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const keyOf = (item: unknown) => JSON.stringify(isObject(item) ? keys.map((key) => item[key]) : item);
  const seen = new Set<string>();
  return list.flatMap((item, index) => {
    const key = keyOf(item);
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    const message = 'an earlier item of this list is the same one';
    return [errorAt('duplicate-item', [...path, index], message, 'remove one of them')];
  });
}
