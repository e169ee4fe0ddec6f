// The CRDs of the checkout. Only modules of constants read them, and a built program has these constants instead of the modules
// (.config/inlined-schemas.ts): crds/ is the one copy of the schemas, and what runs in a cluster reads no file of it.
import { readdirSync, readFileSync } from 'node:fs';

import { load } from 'js-yaml';

/** A structural schema, as Kubernetes calls it: what this program reads of a CRD's openAPIV3Schema. */
export interface CrdSchema {
  readonly type: string;
  readonly description?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, CrdSchema>>;
  readonly additionalProperties?: CrdSchema;
  readonly items?: CrdSchema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly CelRule[];
}

export interface CelRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  /** Where the mistake is reported, relative to the rule's own field: `.dismissal`. */
  readonly fieldPath?: string;
}

interface Crd {
  readonly spec: {
    readonly names: { readonly kind: string; readonly plural: string };
    readonly scope: string;
    readonly versions: readonly [{ readonly schema: { readonly openAPIV3Schema: CrdSchema } }];
  };
}

/** A custom resource with the schema of its only version. */
export interface CustomResource {
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  readonly schema: CrdSchema;
}

/** By the names of the files. */
export function readCrds(): readonly CustomResource[] {
  const folder = new URL('../../crds/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file.startsWith('rolealerts.dev_'));
  return files.sort().map((file) => {
    const { names, scope, versions } = (load(readFileSync(new URL(file, folder), 'utf8')) as Crd).spec;
    const { kind, plural } = names;
    return { kind, plural, isNamespaced: scope === 'Namespaced', schema: versions[0].schema.openAPIV3Schema };
  });
}

/** The API server sets defaults. A list with a default is younger than some stored objects and stays optional. */
export function isAlwaysSet({ type, default: value }: CrdSchema): boolean {
  return value !== undefined && type !== 'array';
}
