// The custom resources as whole objects, and every name that never changes. The types of spec and status are generated
// from crds/.
import type {
  ClusterRoleAlertConnectionSpec,
  ClusterRoleAlertConnectionStatus,
} from './generated/cluster-role-alert-connection.ts';
import type { RoleAlertConnectionSpec, RoleAlertConnectionStatus } from './generated/role-alert-connection.ts';
import type { RoleAlertPolicySpec, RoleAlertPolicyStatus } from './generated/role-alert-policy.ts';

export const apiGroup = 'rolealerts.dev';
export const apiVersion = 'v1alpha1';
/** `apiVersion` of an object, and the end of its path below `/apis/`. */
export const groupVersion = 'rolealerts.dev/v1alpha1';

export const policyKind = 'RoleAlertPolicy';
export const policyPlural = 'rolealertpolicies';
export const connectionKind = 'RoleAlertConnection';
export const connectionPlural = 'rolealertconnections';
export const clusterConnectionKind = 'ClusterRoleAlertConnection';
export const clusterConnectionPlural = 'clusterrolealertconnections';

/** The namespace of the manifests in deploy/, and of the Secrets of ClusterRoleAlertConnections outside a Pod. */
export const defaultClusterNamespace = 'rolealerts-system';

/** The operator's name in `managedFields`. */
export const fieldManager = 'rolealerts';

/** The reconcile request: a new value on a policy triggers a reconcile. `status.lastHandledReconcileAt` repeats the value. */
export const requestedAtAnnotation = 'rolealerts.dev/requestedAt';

/** A name for the scope of a policy, which the commands show. The operator ignores it. */
export const displayNameAnnotation = 'rolealerts.dev/display-name';

/**
 * The operator uses a Secret as a credential only when it carries this label with `credentialLabelValue`. Otherwise the
 * author of a connection could make the operator send any Secret of the namespace to a host of their choice. ConfigMaps
 * with certificates need no label: certificates are public, and the operator never sends them.
 */
export const credentialLabel = 'rolealerts.dev/credential';
export const credentialLabelValue = 'true';

/**
 * The operator requests tokens of a ServiceAccount only for the audience in this annotation. Otherwise the author of a
 * connection could act at another service as any ServiceAccount of the namespace.
 */
export const federatedAudienceAnnotation = 'rolealerts.dev/federated-audience';

/** The metadata that the operator reads. The API server sets every member that is not optional. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Incremented with every change of the spec, from 1. */
  readonly generation: number;
  /** RFC 3339, UTC, whole seconds. */
  readonly creationTimestamp: string;
  /** Present while finalizers delay the deletion. */
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The metadata of a cluster-scoped object. */
export type ClusterObjectMeta = Omit<ObjectMeta, 'namespace'> & { readonly namespace?: undefined };

/** The status that the API server answers with while a policy has none: the default of the schema. */
export const pendingStatus = {
  observedGeneration: -1,
  conditions: [
    {
      type: 'Ready',
      status: 'Unknown',
      reason: 'Pending',
      message: 'Waiting for the operator.',
      lastTransitionTime: '1970-01-01T00:00:00Z',
    },
  ],
} as const satisfies RoleAlertPolicyStatus;

/** As `pendingStatus`, for connections. */
export const pendingConnectionStatus = {
  ...pendingStatus,
  conditions: [...pendingStatus.conditions, { ...pendingStatus.conditions[0], type: 'Capacity' }],
} as const satisfies RoleAlertConnectionStatus;

export interface RoleAlertPolicy {
  readonly apiVersion: typeof groupVersion;
  readonly kind: typeof policyKind;
  readonly metadata: ObjectMeta;
  readonly spec: RoleAlertPolicySpec;
  /** Absent only in manifests: the API server answers with `pendingStatus` when there is none. */
  readonly status?: RoleAlertPolicyStatus;
}

export interface RoleAlertConnection {
  readonly apiVersion: typeof groupVersion;
  readonly kind: typeof connectionKind;
  readonly metadata: ObjectMeta;
  readonly spec: RoleAlertConnectionSpec;
  /** Absent only in manifests: the API server answers with `pendingConnectionStatus` when there is none. */
  readonly status?: RoleAlertConnectionStatus;
}

export interface ClusterRoleAlertConnection {
  readonly apiVersion: typeof groupVersion;
  readonly kind: typeof clusterConnectionKind;
  readonly metadata: ClusterObjectMeta;
  readonly spec: ClusterRoleAlertConnectionSpec;
  /** As in a RoleAlertConnection. */
  readonly status?: ClusterRoleAlertConnectionStatus;
}

/** A connection of either kind. */
export type AnyConnection = RoleAlertConnection | ClusterRoleAlertConnection;

/** What the operator knows of a namespace: it watches the metadata only. */
export interface NamespaceMetadata {
  readonly metadata: Pick<ClusterObjectMeta, 'name' | 'uid' | 'resourceVersion' | 'deletionTimestamp' | 'labels'>;
}

/** The key of a Secret that holds the credential of a connection. */
export interface CredentialRef {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/**
 * The Secret of the connection. Undefined when it acts as a ServiceAccount, and for an object that is older than the rule of the
 * schema. `clusterNamespace`: where the Secrets, ConfigMaps and ServiceAccounts of every ClusterRoleAlertConnection are; no
 * field of a connection names a namespace.
 */
export function credentialOf({ metadata, spec }: AnyConnection, clusterNamespace: string): CredentialRef | undefined {
  const reference = spec.auth.clientCredentials?.clientSecretRef ?? spec.auth.tokenSecretRef;
  return reference && { namespace: metadata.namespace ?? clusterNamespace, name: reference.name, key: reference.key };
}

/** The ServiceAccount as which a connection acts, and the only audience of its tokens. */
export interface ServiceAccountRef {
  readonly namespace: string;
  readonly name: string;
  readonly audience: string;
}

/** Undefined when the connection uses a Secret. `clusterNamespace`: as in `credentialOf`. */
export function serviceAccountOf(
  { metadata, spec }: AnyConnection,
  clusterNamespace: string,
): ServiceAccountRef | undefined {
  const { federated } = spec.auth;
  if (!federated) return undefined;
  const { serviceAccountName: name, audience } = federated;
  return { namespace: metadata.namespace ?? clusterNamespace, name, audience };
}

/** Undefined when the public CAs are trusted. `clusterNamespace`: as in `credentialOf`. */
export function caBundleOf({ metadata, spec }: AnyConnection, clusterNamespace: string): CredentialRef | undefined {
  const { caBundleRef } = spec.endpoint;
  return (
    caBundleRef && { namespace: metadata.namespace ?? clusterNamespace, name: caBundleRef.name, key: caBundleRef.key }
  );
}

/** The object that an event regards. */
export interface ObjectReference {
  readonly apiVersion: typeof groupVersion | 'v1';
  readonly kind: typeof policyKind | AnyConnection['kind'] | 'Namespace';
  readonly name: string;
  /** Undefined for a cluster-scoped object. */
  readonly namespace?: string | undefined;
  readonly uid: string;
}

export function referenceTo({ kind, metadata }: RoleAlertPolicy | AnyConnection): ObjectReference {
  const { name, namespace, uid } = metadata;
  return { apiVersion: groupVersion, kind, name, namespace, uid };
}
