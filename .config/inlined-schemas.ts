// What the bundle has of crds/: the constants of the modules that read the CRDs, and the schemas as functions, so that the program neither
// reads these files nor loads ajv nor compiles at its start.
import { Ajv } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import type { Plugin } from 'rolldown';

import { compileOptions, objectSchema } from '../src/commands/manifests/compile-schema.ts';
import * as resources from '../src/commands/manifests/custom-resources.ts';
import * as shapes from '../src/policy/shapes.ts';

const modules: Readonly<Record<string, () => string>> = {
  'policy/shapes.ts': () => constantsOf(shapes),
  'commands/manifests/custom-resources.ts': () => constantsOf(resources),
  'commands/manifests/compile-schema.ts': compiledSchemas,
};

export const inlinedSchemas: Plugin = {
  name: 'inlined-schemas',
  load(id) {
    const [, write] = Object.entries(modules).find(([file]) => id.endsWith(`/src/${file}`)) ?? [];
    return write && { code: write(), moduleType: 'js' };
  },
};

const constantsOf = (module: object) =>
  Object.entries(module)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value, undefined, 2)};\n`)
    .join('\n');

/** A module that exports `compileSchema`, which only selects a function. */
function compiledSchemas(): string {
  const kinds = resources.customResources.map(({ kind }) => kind);
  const schemas = Object.fromEntries(resources.customResources.map(({ kind, schema }) => [kind, objectSchema(schema)]));
  const ajv = new Ajv({ ...compileOptions, code: { source: true, esm: true }, schemas });
  const code = standalone.default(ajv, Object.fromEntries(kinds.map((kind) => [kind, kind])));
  return [
    // The one function that the code needs of ajv: a length in code points.
    "import lengthModule from 'ajv/dist/runtime/ucs2length.js';",
    code.replaceAll('require("ajv/dist/runtime/ucs2length").default', 'lengthModule.default'),
    `const checks = { ${kinds.join(', ')} };`,
    'export const compileSchema = ({ kind }) => checks[kind];',
  ].join('\n');
}
