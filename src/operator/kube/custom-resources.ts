// Reads single policies and connections from the API server, bypassing the cache, and writes their status. The reflector
// lists and watches. This is the only writer of the custom resources, and it writes only the status, and the finalizer of connections.
import { objectOf } from '../../lib/json-shape.ts';
import type { CustomResources } from '../../policy/custom-resources.ts';
import {
  decodeClusterConnection,
  decodeConnection,
  decodeMetadata,
  type DecodedResource,
  decodePolicy,
} from '../../policy/decode-resources.ts';
import {
  type AnyConnection,
  apiGroup,
  apiVersion,
  clusterConnectionPlural,
  connectionPlural,
  fieldManager,
  policyPlural,
  type RoleAlertPolicy,
} from '../../policy/resources.ts';
import { unlessMissing, unreachable } from './kube-error.ts';
import { objectPath, queryOf, type KubeResource } from './resource.ts';
import type { KubeRequest, KubeTransport } from './transport.ts';

export const policyResource: KubeResource = { group: apiGroup, version: apiVersion, plural: policyPlural };
export const connectionResource: KubeResource = { group: apiGroup, version: apiVersion, plural: connectionPlural };
export const clusterConnectionResource: KubeResource = {
  group: apiGroup,
  version: apiVersion,
  plural: clusterConnectionPlural,
};

export function createCustomResources(transport: KubeTransport): CustomResources {
  return {
    readPolicy: async (...where) => decodePolicy(await readObject(transport, policyResource, ...where)).value,
    readConnection: async (...where) => {
      const { resource, decode } = kindIn(where[0]);
      return decode(await readObject(transport, resource, ...where)).value;
    },
    async replacePolicyStatus(policy, status, signal) {
      // The spec of this version is the one that we have, and the status is ours: the metadata says the rest.
      const answer = await replaceStatus(transport, policyResource, policy, { status, answer: 'metadata', signal });
      return { ...policy, metadata: written(decodeMetadata(objectOf(answer)['metadata'])), status };
    },
    async replaceConnectionStatus(connection, status, signal) {
      const { resource, decode } = kindIn(connection.metadata.namespace);
      const what = { status, answer: 'object', signal } as const;
      return written<AnyConnection>(decode(await replaceStatus(transport, resource, connection, what)));
    },
    async replaceFinalizers(connection, finalizers, signal) {
      const { name, namespace, uid, resourceVersion } = connection.metadata;
      const { resource, decode } = kindIn(namespace);
      // A merge patch (RFC 7396), which the API server refuses as a conflict for another version.
      const answer = await transport.request<unknown>({
        verb: 'patch',
        path: `${objectPath(resource, namespace, name)}${writeQuery}`,
        contentType: 'application/merge-patch+json',
        body: JSON.stringify({ metadata: { uid, resourceVersion, finalizers } }),
        signal,
      });
      return written<AnyConnection>(decode(answer));
    },
  };
}

/** The kind of connection in a namespace, or of those without one. */
function kindIn(namespace: string | undefined): {
  readonly resource: KubeResource;
  readonly decode: (json: unknown) => DecodedResource<AnyConnection>;
} {
  return namespace === undefined
    ? { resource: clusterConnectionResource, decode: decodeClusterConnection }
    : { resource: connectionResource, decode: decodeConnection };
}

/** Records the writer in `metadata.managedFields`. */
const writeQuery = queryOf({ fieldManager });

/** Throws when the write succeeded but the response is not the object. */
function written<T>({ value, problems }: DecodedResource<T>): T {
  if (value !== undefined) return value;
  throw unreachable(`the response is not the object: ${problems.join(', ')}`, { reason: 'BadAnswer' });
}

function replaceStatus(
  transport: KubeTransport,
  resource: KubeResource,
  object: RoleAlertPolicy | AnyConnection,
  { status, answer, signal }: Pick<KubeRequest, 'answer' | 'signal'> & { readonly status: object },
): Promise<unknown> {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  return transport.request<unknown>({
    verb: 'update',
    path: `${objectPath(resource, namespace, name, 'status')}${writeQuery}`,
    body: JSON.stringify({
      apiVersion: object.apiVersion,
      kind: object.kind,
      metadata: { name, namespace, uid, resourceVersion },
      status,
    }),
    answer,
    signal,
  });
}

function readObject(
  transport: KubeTransport,
  resource: KubeResource,
  namespace: string | undefined,
  name: string,
  signal?: AbortSignal,
): Promise<unknown> {
  return unlessMissing(
    transport.request<unknown>({ verb: 'get', path: objectPath(resource, namespace, name), signal }),
  );
}
