// The schema of a CRD as a JSON Schema, without what only an API server knows: CEL rules, defaults, lists with keys.
import type { CrdSchema } from '../../lib/crds.ts';

export type JsonSchema = { readonly [keyword: string]: unknown };

/** The schema of a whole object. `metadata` is checked apart. */
export function objectSchema(schema: CrdSchema): JsonSchema {
  const text: CrdSchema = { type: 'string' };
  const properties = { ...schema.properties, apiVersion: text, kind: text, metadata: { type: 'object' } };
  return jsonSchemaOf({ ...schema, properties });
}

const keywords = [
  'type',
  'enum',
  'required',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
] as const;

function jsonSchemaOf(schema: CrdSchema): JsonSchema {
  const own = keywords.flatMap((keyword) =>
    schema[keyword] === undefined ? [] : [[keyword, schema[keyword]] as const],
  );
  const properties = Object.entries(schema.properties ?? {}).map(
    ([name, member]) => [name, jsonSchemaOf(member)] as const,
  );
  return {
    ...Object.fromEntries(own),
    ...(schema.nullable === true && { type: [schema.type, 'null'] }),
    ...(schema.properties && { properties: Object.fromEntries(properties), additionalProperties: false }),
    ...(schema.additionalProperties && { additionalProperties: jsonSchemaOf(schema.additionalProperties) }),
    ...(schema.items && { items: jsonSchemaOf(schema.items) }),
  };
}
