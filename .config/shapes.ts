// The shapes with which policy/decode-resources.ts checks objects: of the schemas of the CRDs, what the generated types rely on.
import { readFile } from 'node:fs/promises';

import { parse } from 'yaml';

import type { Shape } from '../src/policy/shape.ts';
import { clusterCrdFile } from './cluster-crd.ts';

export const shapesFile = 'src/policy/generated/shapes.ts';

/** The part of a CRD's schema that the types and shapes are generated from. */
export interface Schema {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: string[];
  minLength?: number;
  minimum?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  /** Of a map of texts. */
  additionalProperties?: Schema;
  items?: Schema;
}

/** The text of the generated module. `root` is the checkout. */
export async function shapes(root: URL): Promise<string> {
  const policy = await readParts(root, 'crds/rolealerts.dev_rolealertpolicies.yaml');
  // Those of a RoleAlertConnection are the same without `access` and `namespaces`, both optional.
  const connection = await readParts(root, clusterCrdFile);
  const constants = {
    policySpec: shapeOf(policy.spec, 1),
    policyStatus: shapeOf(policy.status),
    connectionSpec: shapeOf(connection.spec, 1),
    connectionStatus: shapeOf(connection.status),
  };
  return [
    '// Made from crds/ by `npm run generate`. Change those files, never this one.',
    "import type { Shape } from '../shape.ts';",
    '',
    ...Object.entries(constants).map(
      ([name, shape]) => `export const ${name}: Shape = ${JSON.stringify(shape, undefined, 2)};\n`,
    ),
  ].join('\n');
}

async function readParts(root: URL, file: string): Promise<Record<'spec' | 'status', Schema>> {
  const crd = parse(await readFile(new URL(file, root), 'utf8'));
  return crd.spec.versions[0].schema.openAPIV3Schema.properties;
}

/** `leastLength`: of the texts among the members, unless the schema says it: in a spec, CEL rules refuse the empty ones. */
function shapeOf({ type = 'object', minLength, minimum, items, ...schema }: Schema, leastLength?: number): Shape {
  const members = Object.entries(schema.properties ?? {});
  const required = members.filter(([name, member]) => schema.required?.includes(name) || isAlwaysSet(member));
  const properties = members.map(([name, member]) => {
    const isText = member.type === 'string' && !member.enum && leastLength !== undefined;
    return [name, shapeOf(isText ? { minLength: leastLength, ...member } : member, leastLength)] as const;
  });
  return {
    type,
    ...(schema.enum && { enum: schema.enum }),
    ...(minLength !== undefined && { minLength }),
    ...(minimum !== undefined && { minimum }),
    ...(items && { items: shapeOf(items, leastLength) }),
    ...(schema.properties && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required: required.map(([name]) => name) }),
    ...(schema.additionalProperties && { additionalProperties: shapeOf(schema.additionalProperties) }),
  };
}

/**
 * The API server sets defaults, so every object that the operator reads has them. A list with a default is younger than some stored CRDs
 * and stays optional.
 */
export function isAlwaysSet({ type, default: value }: Schema): boolean {
  return value !== undefined && type !== 'array';
}
