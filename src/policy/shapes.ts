// The shapes with which decode-resources.ts checks objects: of the schemas of the CRDs, what the generated types rely on.
import { type CrdSchema, isAlwaysSet, readCrds } from '../lib/crds.ts';
import type { Shape } from './shape.ts';

const crds = readCrds();

export const policySpec = shapeOf(part('RoleAlertPolicy', 'spec'), 1);
export const policyStatus = shapeOf(part('RoleAlertPolicy', 'status'));
// Those of a RoleAlertConnection are the same without `access` and `namespaces`, both optional.
export const connectionSpec = shapeOf(part('ClusterRoleAlertConnection', 'spec'), 1);
export const connectionStatus = shapeOf(part('ClusterRoleAlertConnection', 'status'));

function part(kind: string, name: 'spec' | 'status'): CrdSchema {
  const schema = crds.find((crd) => crd.kind === kind)?.schema.properties?.[name];
  if (!schema) throw new Error(`crds/ has no ${name} of ${kind}`);
  return schema;
}

/** `leastLength`: of the texts among the members, unless the schema says it: in a spec, CEL rules refuse the empty ones. */
function shapeOf(schema: CrdSchema, leastLength?: number): Shape {
  const { type, enum: words, minLength, minimum, items, additionalProperties } = schema;
  const members = Object.entries(schema.properties ?? {});
  const required = members.filter(([name, member]) => schema.required?.includes(name) || isAlwaysSet(member));
  const properties = members.map(([name, member]) => {
    const isText = member.type === 'string' && !member.enum && leastLength !== undefined;
    return [name, shapeOf(isText ? { minLength: leastLength, ...member } : member, leastLength)] as const;
  });
  return {
    type,
    ...(words && { enum: words }),
    ...(minLength !== undefined && { minLength }),
    ...(minimum !== undefined && { minimum }),
    ...(items && { items: shapeOf(items, leastLength) }),
    ...(schema.properties && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required: required.map(([name]) => name) }),
    ...(additionalProperties && { additionalProperties: shapeOf(additionalProperties) }),
  };
}
