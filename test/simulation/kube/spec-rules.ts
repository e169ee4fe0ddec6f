// What an API server makes of a custom resource by its CRD: it drops unknown members, sets defaults and evaluates the CEL rules. The rules are
// those of crds/, evaluated as `validate` does.
import { newCelCompiler } from '../../../src/commands/manifests/cel-environment.ts';
import { celProblems } from '../../../src/commands/manifests/cel-problems.ts';
import { fieldText } from '../../../src/commands/manifests/problem.ts';
import type { CrdSchema } from '../../../src/lib/crds.ts';

export type Json = Readonly<Record<string, unknown>>;

/** A member that should be text; anything else is `otherwise`. */
export function textOf(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}

/** Drops what the schema does not know and fills in defaults, as the API server does before it validates. */
export function applySchema(schema: CrdSchema, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => applySchema(items, item)) : value;
  }
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return value;
  const given = value as Record<string, unknown>;
  const result: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(schema.properties)) {
    const present = given[name] ?? structuredClone(member.default);
    if (present !== undefined && present !== null) result[name] = applySchema(member, present);
  }
  return result;
}

const compile = newCelCompiler();

/** `PATH: WHAT` for every broken rule. `before` is undefined when the object is created. */
export function brokenRules(schema: CrdSchema, value: unknown, before: unknown): string[] {
  const ofUpdate = before === undefined ? [] : celProblems(value, schema, compile, { stored: before });
  return [...celProblems(value, schema, compile), ...ofUpdate].map(
    ({ path, message }) => `${fieldText(path)}: ${message}`,
  );
}
