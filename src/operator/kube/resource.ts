// The resources of the API server, their paths, and the comparison of their versions. Pure.
import { isNonEmptyString, objectOf } from '../../lib/json-shape.ts';
import { KubeError } from './kube-error.ts';

/** A kind of object as the API server addresses it. `group` is empty for the core group. */
export interface KubeResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

/** The metadata that every object of the API server has. A cluster-scoped object has no namespace. */
export interface KubeObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly uid: string;
    /** Opaque but ordered: of two versions of one resource, the larger number is the later one. */
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
    readonly managedFields?: unknown;
  };
}

/** Whether a value has the metadata of every stored object. */
export function isKubeObject(value: unknown): value is KubeObject {
  const { name, uid, resourceVersion } = objectOf(objectOf(value)['metadata']);
  return isNonEmptyString(name) && isNonEmptyString(uid) && isNonEmptyString(resourceVersion);
}

/** `namespace/name`, or the bare name of a cluster-scoped object: the key of a cache and of a queue. */
export function objectKey(object: {
  readonly metadata: { readonly name: string; readonly namespace?: string | undefined };
}): string {
  const { name, namespace } = object.metadata;
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** The collection's path; `namespace` undefined means all namespaces, or a cluster-scoped resource. */
export function collectionPath(resource: KubeResource, namespace: string | undefined): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  return namespace === undefined
    ? `${root}/${resource.plural}`
    : `${root}/namespaces/${segment(namespace)}/${resource.plural}`;
}

/** The path of an object, or of a subresource of it (`status`). Throws `kube-invalid` for an invalid name. */
export function objectPath(
  resource: KubeResource,
  namespace: string | undefined,
  name: string,
  subresource?: string,
): string {
  const path = `${collectionPath(resource, namespace)}/${segment(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** The query string of the defined parameters, with its question mark; empty when there are none. */
export function queryOf(parameters: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** Names come from users and must not leave their segment of the path. */
function segment(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._:-]{0,252}$/.test(text)) {
    throw new KubeError('kube-invalid', 'The name or namespace is not a valid Kubernetes name.', {
      reason: 'InvalidName',
    });
  }
  return text;
}

/**
 * Whether version `left` is not later than `right`. Resource versions are decimal numbers of any length; anything else is
 * only compared for equality, so that an unknown form is never taken for an old one.
 */
export function isSameOrEarlier(left: string, right: string): boolean {
  if (left === right) return true;
  if (!decimal.test(left) || !decimal.test(right)) return false;
  return left.length === right.length ? left < right : left.length < right.length;
}

const decimal = /^[1-9][0-9]*$/;
