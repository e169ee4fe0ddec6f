// Compiles the schema of a resource. The bundle has the compiled functions of our resources instead of this module and of ajv
// (.config/inlined-schemas.ts), because compiling takes longer than everything else that `validate` does with one file.
import { Ajv, type Options, type ValidateFunction } from 'ajv';

import type { CrdSchema, CustomResource } from '../../lib/crds.ts';

/** `verbose`: an error has the schema that it breaks. CRDs have formats of their own, which the CEL rules check. */
export const compileOptions: Options = { allErrors: true, strict: false, verbose: true, validateFormats: false };

export function compileSchema({ schema }: CustomResource): ValidateFunction {
  return new Ajv(compileOptions).compile(objectSchema(schema));
}

type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * The schema of a whole object as a JSON Schema, without what only an API server knows: CEL rules, defaults, lists with keys. `metadata` is
 * checked apart.
 */
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
