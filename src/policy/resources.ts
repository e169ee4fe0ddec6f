// The custom resources as whole objects, and every name that is fixed for good. What is in spec and status is
// decided in crds/ and generated from there; nothing is interpreted here.
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

/** Who writes, in `managedFields`. */
export const fieldManager = 'rolealerts';

/** A new value on a policy means: reconcile now. `status.lastHandledReconcileAt` echoes it. */
export const requestedAtAnnotation = 'rolealerts.dev/requestedAt';

/**
 * A Secret is used as a credential only when it carries this label with `credentialLabelValue`. Otherwise whoever may
 * write connections could have the operator send any Secret of the namespace to a host of their choice. ConfigMaps
 * with certificates need no label: what is in them is public by nature and is never sent anywhere.
 */
export const credentialLabel = 'rolealerts.dev/credential';
export const credentialLabelValue = 'true';

/** What the operator reads of an object's metadata. The API server fills in all that is not optional. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Counts changes of the spec, from 1. */
  readonly generation: number;
  /** RFC 3339, UTC, whole seconds. */
  readonly creationTimestamp: string;
  /** Present while the object waits for finalizers of others. */
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface RoleAlertPolicy {
  readonly apiVersion: typeof groupVersion;
  readonly kind: typeof policyKind;
  readonly metadata: ObjectMeta;
  readonly spec: RoleAlertPolicySpec;
  /** Absent only in manifests: the API server answers with `observedGeneration: -1` when there is none. */
  readonly status?: RoleAlertPolicyStatus;
}

export interface RoleAlertConnection {
  readonly apiVersion: typeof groupVersion;
  readonly kind: typeof connectionKind;
  readonly metadata: ObjectMeta;
  readonly spec: RoleAlertConnectionSpec;
  /** Absent only in manifests: the API server answers with `observedGeneration: -1` when there is none. */
  readonly status?: RoleAlertConnectionStatus;
}

/** What an event regards. */
export interface ObjectReference {
  readonly apiVersion: typeof groupVersion;
  readonly kind: typeof policyKind | typeof connectionKind;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

export function referenceTo({ kind, metadata }: RoleAlertPolicy | RoleAlertConnection): ObjectReference {
  const { name, namespace, uid } = metadata;
  return { apiVersion: groupVersion, kind, name, namespace, uid };
}
