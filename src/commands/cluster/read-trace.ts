// Reads the objects of a trace. What this person may not read is left out, and the trace says so.
import { objectOf, stringOf } from '../../lib/json-shape.ts';
import { createCustomResources } from '../../operator/kube/custom-resources.ts';
import { isKubeError } from '../../operator/kube/kube-error.ts';
import { readNamespace } from '../../operator/kube/namespaces.ts';
import { type KubeResource, objectPath } from '../../operator/kube/resource.ts';
import { connectionKeyOf, partsOfConnectionKey } from '../../policy/connection-key.ts';
import {
  type AnyConnection,
  credentialOf,
  type NamespaceMetadata,
  type RoleAlertPolicy,
  serviceAccountOf,
} from '../../policy/resources.ts';
import type { ClusterPlace } from './cluster-place.ts';

const secrets: KubeResource = { group: '', version: 'v1', plural: 'secrets' };
const serviceAccounts: KubeResource = { group: '', version: 'v1', plural: 'serviceaccounts' };

/** Rejects with a `KubeError` for other failures than a missing permission. */
export async function readTrace(
  place: ClusterPlace,
  policy: RoleAlertPolicy,
  clusterNamespace: string,
): Promise<TraceInput> {
  const [connection, namespace] = await Promise.all([
    readConnectionOf(place, policy),
    seen(readNamespace(place.transport, policy.metadata.namespace, place.signal)),
  ]);
  const credential = 'value' in connection ? await readConsent(place, connection.value, clusterNamespace) : undefined;
  return { policy, connection, credential, namespace, clusterNamespace };
}

async function seen<T>(reading: Promise<T | undefined>): Promise<Readable<T>> {
  try {
    const value = await reading;
    return value === undefined ? { missing: 'Absent' } : { value };
  } catch (error) {
    if (isKubeError(error, 'kube-denied')) return { missing: 'Denied' };
    if (isKubeError(error, 'kube-not-found')) return { missing: 'Absent' };
    throw error;
  }
}

function readConnectionOf(
  { transport, signal }: ClusterPlace,
  policy: RoleAlertPolicy,
): Promise<Readable<AnyConnection>> {
  const { namespace, name } = partsOfConnectionKey(connectionKeyOf(policy));
  return seen(createCustomResources(transport).readConnection(namespace, name, signal));
}

/** The metadata only: no content of a Secret reaches this process, unless the API server ignores what it is asked for. */
export async function readConsent(
  { transport, signal }: Pick<ClusterPlace, 'transport' | 'signal'>,
  connection: AnyConnection,
  clusterNamespace: string,
): Promise<Readable<ConsentMetadata> | undefined> {
  const secret = credentialOf(connection, clusterNamespace);
  const reference = secret ?? serviceAccountOf(connection, clusterNamespace);
  if (!reference) return undefined;
  const path = objectPath(secret ? secrets : serviceAccounts, reference.namespace, reference.name);
  return seen(transport.request<unknown>({ verb: 'get', path, answer: 'metadata', signal }).then(consentOf));
}

function consentOf(object: unknown): ConsentMetadata {
  const { labels, annotations } = objectOf(objectOf(object)['metadata']);
  return { labels: textsOf(labels), annotations: textsOf(annotations) };
}

function textsOf(json: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(objectOf(json)).flatMap(([name, value]) => {
      const text = stringOf(value);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

/** An object, or why there is none: it does not exist, or this person may not read it. */
export type Readable<T> = { readonly value: T } | { readonly missing: 'Absent' | 'Denied' };

/** What a trace is computed from. */
export interface TraceInput {
  readonly policy: RoleAlertPolicy;
  readonly connection: Readable<AnyConnection>;
  /** The metadata of the Secret or the ServiceAccount of the connection; undefined while the connection is not known. */
  readonly credential: Readable<ConsentMetadata> | undefined;
  /** Of the policy; its labels decide what a ClusterRoleAlertConnection grants. */
  readonly namespace: Readable<NamespaceMetadata>;
  /** Where the Secrets and ServiceAccounts of every ClusterRoleAlertConnection are. */
  readonly clusterNamespace: string;
}

export interface ConsentMetadata {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
