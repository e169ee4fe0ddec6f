// Compiles the schema of a resource. The bundle has the compiled functions of our resources instead of this module and of ajv
// (.config/inlined-schemas.ts), because compiling takes longer than everything else that `validate` does with one file.
import { Ajv, type Options, type ValidateFunction } from 'ajv';

import type { CustomResource } from '../../lib/crds.ts';
import { objectSchema } from './json-schema.ts';

/** `verbose`: an error has the schema that it breaks. CRDs have formats of their own, which the CEL rules check. */
export const compileOptions: Options = { allErrors: true, strict: false, verbose: true, validateFormats: false };

export function compileSchema({ schema }: CustomResource): ValidateFunction {
  return new Ajv(compileOptions).compile(objectSchema(schema));
}
