// Applies a structural schema to an object: drops unknown members, and sets defaults.
import type { Schema } from './resources.ts';

/** Drops what the schema does not know and fills in defaults, as the API server does before it validates. */
export function applySchema(schema: Schema, value: unknown): unknown {
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
