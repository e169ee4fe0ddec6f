// The schemas that `rolealerts validate` works with, made from the CRDs, so that the program needs no other file for it.
import { readdir, readFile } from 'node:fs/promises';

import { parse } from 'yaml';

import { schemaHash } from '../src/commands/manifests/schema-hash.ts';

export const customResourcesFile = 'src/commands/manifests/generated/custom-resources.ts';
export const schemaHashesFile = 'src/commands/manifests/generated/schema-hashes.ts';

type Schema = Readonly<Record<string, unknown>>;

/** The text of the generated module. `root` is the checkout. */
export async function customResources(root: URL): Promise<string> {
  const resources = (await readCrds(root)).map(resourceOf);
  return [
    '// Made from crds/ by `npm run generate`. Change those files, never this one.',
    "import type { CustomResource } from '../crd-schema.ts';",
    '',
    '/** Without the status and the descriptions. */',
    `export const customResources: readonly CustomResource[] = ${JSON.stringify(resources, undefined, 2)};`,
    '',
  ].join('\n');
}

/** The text of the module with the hash of each schema, which the program compares with those of a cluster. */
export async function schemaHashes(root: URL): Promise<string> {
  const hashes = (await readCrds(root)).map((text) => {
    const { names, versions } = parse(text).spec;
    return `  ${names.plural}: '${schemaHash(versions[0].schema.openAPIV3Schema)}',`;
  });
  return [
    '// Made from crds/ by `npm run generate`. Change those files, never this one.',
    '',
    '/** By the plural of the resource. */',
    'export const schemaHashes: Readonly<Record<string, string>> = {',
    ...hashes,
    '};',
    '',
  ].join('\n');
}

async function readCrds(root: URL): Promise<string[]> {
  const names = (await readdir(new URL('crds', root))).filter((name) => name.startsWith('rolealerts.dev_')).sort();
  return Promise.all(names.map((name) => readFile(new URL(`crds/${name}`, root), 'utf8')));
}

function resourceOf(text: string): unknown {
  const { names, scope, versions } = parse(text).spec;
  const { status: _status, ...properties } = versions[0].schema.openAPIV3Schema.properties;
  const schema = withoutDescriptions({ ...versions[0].schema.openAPIV3Schema, properties });
  return { kind: names.kind, plural: names.plural, isNamespaced: scope === 'Namespaced', schema };
}

/** A property may be called `description`; a keyword with a text is the description of a schema. */
function withoutDescriptions(schema: Schema): Schema {
  const members = Object.entries(schema).filter(
    ([keyword, value]) => keyword !== 'description' || typeof value !== 'string',
  );
  return Object.fromEntries(
    members.map(([keyword, value]) => [keyword, isSchema(value) ? withoutDescriptions(value) : value]),
  );
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
