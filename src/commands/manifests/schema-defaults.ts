// What an API server does to an object before it validates it: it drops nulls that the schema does not allow, and fills in
// the defaults.
import type { CrdSchema } from '../../lib/crds.ts';
import { isObject } from '../../lib/json-shape.ts';

/** A copy of the value with the defaults of the schema. */
export function withDefaults(value: unknown, schema: CrdSchema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item: unknown) => withDefaults(item, items)) : value;
  }
  if (!isObject(value)) return value;
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const known = schema.properties?.[name] ?? schema.additionalProperties;
    const isDropped = member === null && known !== undefined && known.nullable !== true;
    if (!isDropped) members.push([name, known ? withDefaults(member, known) : member]);
  }
  const present = new Set(members.map(([name]) => name));
  for (const [name, known] of Object.entries(schema.properties ?? {}))
    if (known.default !== undefined && !present.has(name)) members.push([name, withDefaults(known.default, known)]);
  return Object.fromEntries(members);
}
