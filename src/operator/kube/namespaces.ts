// Namespaces, of which the operator reads only the metadata: their labels decide what a ClusterRoleAlertConnection grants.
import { isObject } from '../../lib/json-shape.ts';
import type { DecodedResource } from '../../policy/decode-resources.ts';
import type { NamespaceMetadata } from '../../policy/resources.ts';
import { unlessMissing, unreachable } from './kube-error.ts';
import { isKubeObject, type KubeObject, type KubeResource, objectPath } from './resource.ts';
import type { KubeTransport } from './transport.ts';

export const namespaceResource: KubeResource = { group: '', version: 'v1', plural: 'namespaces' };

/** Keeps the labels and what identifies the object, and nothing else. */
export function decodeNamespace({ metadata }: KubeObject): DecodedResource<NamespaceMetadata> {
  const { name, uid, resourceVersion, deletionTimestamp, labels } = metadata;
  if (labels !== undefined && !isObject(labels)) return { problems: ['.metadata.labels'] };
  const kept = { name, uid, resourceVersion, ...(labels && { labels }) };
  return { value: { metadata: deletionTimestamp === undefined ? kept : { ...kept, deletionTimestamp } }, problems: [] };
}

/** Bypasses the cache. `undefined` when there is no such namespace or it cannot be decoded. */
export async function readNamespace(
  transport: KubeTransport,
  name: string,
  signal: AbortSignal,
): Promise<NamespaceMetadata | undefined> {
  const path = objectPath(namespaceResource, undefined, name);
  const object = await unlessMissing(transport.request<unknown>({ verb: 'get', path, answer: 'metadata', signal }));
  if (object === undefined) return undefined;
  if (isKubeObject(object)) return decodeNamespace(object).value;
  throw unreachable('the response is not an object', { reason: 'BadAnswer' });
}
