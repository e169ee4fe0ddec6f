// Reading single policies and connections fresh from the API server, and writing their status. Lists and watches are the
// reflector's. This is the only writer of our resources, and it can write nothing but a status.
import { isCodedError } from '../lib/errors.ts';
import { decodeConnection, decodePolicy, type DecodedResource } from '../policy/decode-resources.ts';
import type { RoleAlertConnectionStatus } from '../policy/generated/role-alert-connection.ts';
import type { RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import {
  apiGroup,
  apiVersion,
  connectionPlural,
  fieldManager,
  policyPlural,
  type RoleAlertConnection,
  type RoleAlertPolicy,
} from '../policy/resources.ts';
import { objectPath, queryOf, type KubeResource } from './resource.ts';
import { unreachable } from './status-error.ts';
import type { KubeTransport } from './transport.ts';

export const policyResource: KubeResource = { group: apiGroup, version: apiVersion, plural: policyPlural };
export const connectionResource: KubeResource = { group: apiGroup, version: apiVersion, plural: connectionPlural };

export interface CustomResources {
  /** As the API server has it now, not as a cache has it. `undefined` when there is none, or none that can be read. */
  readPolicy(namespace: string, name: string, signal?: AbortSignal): Promise<RoleAlertPolicy | undefined>;
  readConnection(namespace: string, name: string, signal?: AbortSignal): Promise<RoleAlertConnection | undefined>;
  /**
   * Replaces the whole status of exactly this version of exactly this object; the spec is not sent and stays as it is.
   * Resolves with what is stored now. A newer version or another uid rejects with `kube-conflict`, no object with `kube-not-found`.
   */
  replacePolicyStatus(
    policy: RoleAlertPolicy,
    status: RoleAlertPolicyStatus,
    signal?: AbortSignal,
  ): Promise<RoleAlertPolicy>;
  replaceConnectionStatus(
    connection: RoleAlertConnection,
    status: RoleAlertConnectionStatus,
    signal?: AbortSignal,
  ): Promise<RoleAlertConnection>;
}

export function createCustomResources(transport: KubeTransport): CustomResources {
  return {
    readPolicy: async (...where) => decodePolicy(await readObject(transport, policyResource, ...where)).value,
    readConnection: async (...where) =>
      decodeConnection(await readObject(transport, connectionResource, ...where)).value,
    replacePolicyStatus: async (...what) =>
      written(decodePolicy(await replaceStatus(transport, policyResource, ...what))),
    replaceConnectionStatus: async (...what) =>
      written(decodeConnection(await replaceStatus(transport, connectionResource, ...what))),
  };
}

/** Shows in `metadata.managedFields` who wrote the status. */
const statusQuery = queryOf({ fieldManager });

/** The write stood, but what came back is not what was written. */
function written<T>({ value, problems }: DecodedResource<T>): T {
  if (value !== undefined) return value;
  throw unreachable(`the answer is not the object: ${problems.join(', ')}`, { reason: 'BadAnswer' });
}

function replaceStatus(
  transport: KubeTransport,
  resource: KubeResource,
  object: RoleAlertPolicy | RoleAlertConnection,
  status: object,
  signal?: AbortSignal,
): Promise<unknown> {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  return transport.request<unknown>({
    verb: 'update',
    path: `${objectPath(resource, namespace, name, 'status')}${statusQuery}`,
    body: JSON.stringify({
      apiVersion: object.apiVersion,
      kind: object.kind,
      metadata: { name, namespace, uid, resourceVersion },
      status,
    }),
    signal,
  });
}

async function readObject(
  transport: KubeTransport,
  resource: KubeResource,
  namespace: string,
  name: string,
  signal?: AbortSignal,
): Promise<unknown> {
  try {
    return await transport.request<unknown>({ verb: 'get', path: objectPath(resource, namespace, name), signal });
  } catch (error) {
    if (isCodedError(error, 'kube-not-found')) return undefined;
    throw error;
  }
}
