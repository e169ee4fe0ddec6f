// Checks an object against the rules of its CRD: every member with rules, and the uniqueness of sets.
import { type Check, checkOf } from './cel-rules.ts';
import type { Schema } from './resources.ts';

/** `PATH: WHAT` for every broken rule. `before` is undefined when the object is created. */
export type SpecRules = (value: unknown, before: unknown) => string[];

export type Json = Readonly<Record<string, unknown>>;

/** A member that should be text; anything else is `otherwise`. */
export function textOf(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}

/** The rules are read once. Rules about what was there before are only kept outside of lists. */
export function readRules(schema: Schema, path: string): SpecRules {
  const own = (schema['x-kubernetes-validations'] ?? []).map(({ rule }) => ({ rule, check: checkOf(rule) }));
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => ({
    name,
    rules: readRules(member, path === '' ? name : `${path}.${name}`),
  }));
  const items = schema.items && readRules(schema.items, `${path}[]`);
  const isSet = schema['x-kubernetes-list-type'] === 'set';
  return (value, before) => {
    if (value === undefined) return [];
    if (Array.isArray(value)) {
      const repeated = isSet && new Set(value).size < value.length ? [`${path}: Duplicate value`] : [];
      const broken = items ? value.flatMap((item) => items(item, undefined)) : [];
      return [...brokenOf(own, path, value, before), ...repeated, ...broken];
    }
    const inside = isJson(value)
      ? members.flatMap(({ name, rules }) => rules(value[name], isJson(before) ? before[name] : undefined))
      : [];
    return [...brokenOf(own, path, value, before), ...inside];
  };
}

function brokenOf(
  rules: readonly { readonly rule: string; readonly check: Check }[],
  path: string,
  value: unknown,
  before: unknown,
): string[] {
  return rules.filter(({ check }) => !check(value, before)).map(({ rule }) => `${path}: failed rule: ${rule}`);
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
