// What a trace is computed from: the objects on the way from a policy to its alerts, as far as the API server shows them.
import type { AnyConnection, NamespaceMetadata, RoleAlertPolicy } from '../../policy/resources.ts';

/** An object, or why there is none: it does not exist, or this person may not read it. */
export type Readable<T> = { readonly value: T } | { readonly missing: 'Absent' | 'Denied' };

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
