// The schemas that `validate` and `plan` check manifests against, and the hashes that `doctor` and `version` compare with those of a cluster.
import { type CrdSchema, type CustomResource, readCrds } from '../../lib/crds.ts';
import { isString } from '../../lib/json-shape.ts';
import { schemaHash } from './schema-hash.ts';

const crds = readCrds();

/** Without the descriptions, and without the status, which an API server drops of a manifest. */
export const customResources: readonly CustomResource[] = crds.map((crd) => {
  const { status: _status, ...properties } = crd.schema.properties ?? {};
  return { ...crd, schema: withoutDescriptions({ ...crd.schema, properties }) };
});

/** By the plural of the resource. */
export const schemaHashes: Readonly<Record<string, string>> = Object.fromEntries(
  crds.map(({ plural, schema }) => [plural, schemaHash(schema)]),
);

/** A property may be called `description`; a keyword with a text is the description of a schema. */
function withoutDescriptions<T extends CrdSchema>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), (key: string, value: unknown) =>
    key === 'description' && isString(value) ? undefined : value,
  );
}
