// Evaluates the CEL rules of a CRD (x-kubernetes-validations) on a manifest. Rules that compare with the stored object
// (`oldSelf`) are apart, because an API server skips them for a new object.
import type { CelRule, CrdSchema } from '../../lib/crds.ts';
import { isObject } from '../../lib/json-shape.ts';
import type { CelProgram, CelValue } from './cel-environment.ts';
import { errorAt, type FieldPath, type Problem } from './problem.ts';

type Compile = (expression: string) => CelProgram;

/** The rules that the value breaks. The value must be valid against the schema, with its defaults. */
export function celProblems(
  value: unknown,
  schema: CrdSchema,
  compile: Compile,
  path: FieldPath = [],
): readonly Problem[] {
  // A rule is about a value that is there.
  if (value === null) return [];
  const rules = schema['x-kubernetes-validations'] ?? [];
  const self = rules.length > 0 ? celValue(value, schema) : undefined;
  const own = rules.filter(({ rule }) => !usesOldSelf(rule)).flatMap((rule) => brokenRule(rule, self, compile, path));
  return [...own, ...problemsBelow(value, schema, compile, path)];
}

function problemsBelow(value: unknown, schema: CrdSchema, compile: Compile, path: FieldPath): readonly Problem[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.flatMap((item: unknown, index) => celProblems(item, items, compile, [...path, index])) : [];
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const known = schema.properties?.[name] ?? schema.additionalProperties;
    return known ? celProblems(member, known, compile, [...path, name]) : [];
  });
}

/** The rules that an update of `stored` breaks, of those that compare with it. Both are valid, with their defaults. */
export function updateProblems(
  value: unknown,
  stored: unknown,
  schema: CrdSchema,
  compile: Compile,
  path: FieldPath = [],
): readonly Problem[] {
  if (value === null || stored === null || stored === undefined) return [];
  const rules = (schema['x-kubernetes-validations'] ?? []).filter(({ rule }) => usesOldSelf(rule));
  const oldSelf = celValue(stored, schema);
  const compileUpdate: Compile = (expression) => (self) => compile(expression)(self, oldSelf);
  const own = rules.flatMap((rule) => brokenRule(rule, celValue(value, schema), compileUpdate, path));
  if (!isObject(value) || !isObject(stored)) return own;
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, known]) =>
    name in value ? updateProblems(value[name], stored[name], known, compile, [...path, name]) : [],
  );
  return [...own, ...below];
}

const usesOldSelf = (rule: string) => /\boldSelf\b/.test(rule);

function brokenRule(rule: CelRule, self: CelValue, compile: Compile, path: FieldPath): readonly Problem[] {
  let failure: string | undefined;
  try {
    if (compile(rule.rule)(self) === true) return [];
  } catch (error) {
    const cause = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    // As an API server puts it.
    failure = `${cause} evaluating rule: ${messageOf(rule, self, compile)}`;
  }
  const at = rule.fieldPath?.split('.').filter((step) => step !== '') ?? [];
  return [errorAt('rule', [...path, ...at], failure ?? messageOf(rule, self, compile))];
}

/** An API server uses `message` when `messageExpression` fails or returns no line. */
function messageOf({ message, messageExpression, rule }: CelRule, self: CelValue, compile: Compile): string {
  const fallback = message?.trim() ?? `failed rule: ${rule}`;
  if (messageExpression === undefined) return fallback;
  try {
    const text = compile(messageExpression)(self);
    return typeof text === 'string' && text.trim() !== '' && !text.includes('\n') ? text.trim() : fallback;
  } catch {
    return fallback;
  }
}

/** The value with its integers as CEL has them. */
function celValue(value: unknown, schema: CrdSchema | undefined): CelValue {
  if (typeof value === 'number') return schema?.type === 'integer' ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map((item: unknown) => celValue(item, schema?.items));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const known = schema?.properties?.[name] ?? schema?.additionalProperties;
    return [name, celValue(member, known)] as const;
  });
  return Object.fromEntries(members);
}
