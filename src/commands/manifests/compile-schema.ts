// Compiles the schema of a resource. The bundle has the compiled functions of our resources instead of this module and of ajv
// (.config/inlined-schemas.ts), because compiling takes longer than everything else that `validate` does with one file.
import { Ajv, type Options, type ValidateFunction } from 'ajv';

import type { CrdSchema, CustomResource } from '../../lib/crds.ts';
import { isObject, type JsonObject } from '../../lib/json-shape.ts';

/** `verbose`: an error has the schema that it breaks. CRDs have formats of their own, which the CEL rules check. */
export const compileOptions: Options = { allErrors: true, strict: false, verbose: true, validateFormats: false };

export function compileSchema({ schema }: CustomResource): ValidateFunction {
  return new Ajv(compileOptions).compile(objectSchema(schema));
}

/**
 * The schema of a whole object as a JSON Schema, without what only an API server knows: CEL rules, defaults, lists with keys. `metadata` is
 * checked apart.
 */
export function objectSchema(schema: CrdSchema): JsonObject {
  const text: CrdSchema = { type: 'string' };
  const properties = { ...schema.properties, apiVersion: text, kind: text, metadata: { type: 'object' } };
  return JSON.parse(JSON.stringify({ ...schema, properties }), (keyword: string, value: unknown) => {
    if (keyword.startsWith('x-kubernetes-') || keyword === 'default') return undefined;
    return isObject(value) && isObject(value['properties']) ? { ...value, additionalProperties: false } : value;
  });
}
