// Compiles the schemas of our resources while the bundle is built, so that the program neither loads ajv nor compiles at its start.
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import type { Plugin } from 'rolldown';

import { compileOptions } from '../src/commands/manifests/compile-schema.ts';
import { customResources } from '../src/commands/manifests/generated/custom-resources.ts';
import { objectSchema } from '../src/commands/manifests/json-schema.ts';

/** Replaces commands/manifests/compile-schema.ts. */
export const compiledSchemas: Plugin = {
  name: 'compiled-schemas',
  load: (id) =>
    id.endsWith('/src/commands/manifests/compile-schema.ts') ? { code: compiledModule(), moduleType: 'js' } : undefined,
};

/** A module that exports `compileSchema`, which only selects a function. */
function compiledModule(): string {
  const schemas = customResources.map(({ kind, schema }) => ({ $id: kind, ...objectSchema(schema) }));
  const ajv = new Ajv({ ...compileOptions, code: { source: true, esm: true }, schemas });
  const kinds = customResources.map(({ kind }) => kind);
  const code = standalone.default(ajv, Object.fromEntries(kinds.map((kind) => [kind, kind])));
  return [
    // The one function that the code needs of ajv: a length in code points.
    "import lengthModule from 'ajv/dist/runtime/ucs2length.js';",
    code.replaceAll('require("ajv/dist/runtime/ucs2length").default', 'lengthModule.default'),
    `const checks = { ${kinds.join(', ')} };`,
    'export const compileSchema = ({ kind }) => checks[kind];',
  ].join('\n');
}
