// How policies and connections are read and written one by one.
import type { RoleAlertConnectionStatus } from './generated/role-alert-connection.ts';
import type { RoleAlertPolicyStatus } from './generated/role-alert-policy.ts';
import type { AnyConnection, RoleAlertPolicy } from './resources.ts';

export interface CustomResources {
  /** The current object, bypassing the cache. `undefined` when it does not exist or cannot be decoded. */
  readPolicy(namespace: string, name: string, signal?: AbortSignal): Promise<RoleAlertPolicy | undefined>;
  /** Without a namespace, a ClusterRoleAlertConnection. */
  readConnection(namespace: string | undefined, name: string, signal?: AbortSignal): Promise<AnyConnection | undefined>;
  /**
   * Replaces the whole status of exactly this version of exactly this object. Does not send the spec. Resolves with the new version:
   * the stored metadata, and the status as it was sent, because reading it costs much; a schema that prunes or completes it shows only
   * in the watch. Rejects with `kube-conflict` for a newer version or another uid, with `kube-not-found` when the object does not exist.
   */
  replacePolicyStatus(
    policy: RoleAlertPolicy,
    status: RoleAlertPolicyStatus,
    signal?: AbortSignal,
  ): Promise<RoleAlertPolicy>;
  /** Replaces the finalizers of exactly this version of exactly this object. Resolves and rejects as `replaceConnectionStatus`. */
  replaceFinalizers(
    connection: AnyConnection,
    finalizers: readonly string[],
    signal?: AbortSignal,
  ): Promise<AnyConnection>;
  /** As `replacePolicyStatus`, but resolves with the stored object: a ledger entry counts only when the server has it. */
  replaceConnectionStatus(
    connection: AnyConnection,
    status: RoleAlertConnectionStatus,
    signal?: AbortSignal,
  ): Promise<AnyConnection>;
}
