// Evaluates the CEL rules of a CRD (x-kubernetes-validations) on a manifest. Rules that compare with the stored object
// (`oldSelf`) are apart, because an API server skips them for a new object.
import type { CelRule, CrdSchema } from '../../lib/crds.ts';
import { isObject, objectOf } from '../../lib/json-shape.ts';
import type { CelProgram, CelValue } from './cel-environment.ts';
import { errorAt, type FieldPath, type Problem } from './problem.ts';

type Compile = (expression: string) => CelProgram;

/**
 * The rules that the value breaks: without `stored` all but those that compare with the stored object, otherwise those. Both must be valid
 * against the schema, with their defaults.
 */
export function celProblems(
  value: unknown,
  schema: CrdSchema,
  compile: Compile,
  { path = [], stored }: { readonly path?: FieldPath; readonly stored?: unknown } = {},
): readonly Problem[] {
  // A rule is about a value that is there.
  if (value === null || stored === null) return [];
  const isUpdate = stored !== undefined;
  const rules = (schema['x-kubernetes-validations'] ?? []).filter(({ rule }) => usesOldSelf(rule) === isUpdate);
  const compileRule: Compile = (expression) => (self) => compile(expression)(self, celValue(stored, schema));
  const self = rules.length > 0 ? celValue(value, schema) : undefined;
  const own = rules.flatMap((rule) => brokenRule(rule, self, compileRule, path));
  const below = membersOf(value, schema).flatMap(([step, member, known]) => {
    const storedMember = isObject(stored) ? stored[step] : undefined;
    if (isUpdate && storedMember === undefined) return [];
    return celProblems(member, known, compile, { path: [...path, step], stored: storedMember });
  });
  return [...own, ...below];
}

/** Items of a list, and the members of an object that the schema knows. */
function membersOf(value: unknown, schema: CrdSchema): readonly (readonly [string | number, unknown, CrdSchema])[] {
  const { items, properties, additionalProperties } = schema;
  if (Array.isArray(value)) return items ? value.map((item: unknown, index) => [index, item, items] as const) : [];
  return Object.entries(objectOf(value)).flatMap(([name, member]) => {
    const known = properties?.[name] ?? additionalProperties;
    return known ? [[name, member, known] as const] : [];
  });
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
