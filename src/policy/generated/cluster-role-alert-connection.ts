// Made from crds/rolealerts.dev_clusterrolealertconnections.yaml by `npm run generate`. Change that file, never this one.
import type { Condition } from './role-alert-policy.ts';
import type { CorrectionWindow } from './role-alert-policy.ts';
import type { PolicyMode } from './role-alert-policy.ts';
import type { ConnectionEndpoint } from './role-alert-connection.ts';
import type { ConnectionAuth } from './role-alert-connection.ts';
import type { ConnectionLimits } from './role-alert-connection.ts';
import type { DeactivationGate } from './role-alert-connection.ts';
import type { DismissalRecord } from './role-alert-connection.ts';
import type { RecentDeactivation } from './role-alert-connection.ts';

/**
 * In and NotIn compare the value of the label with values; a namespace without the label matches
 * NotIn. Exists and DoesNotExist have no values.
 */
export type LabelOperator = 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
/**
 * Whether the policies may guard alerts that they do not list (spec.unlisted of a policy).
 */
export type UnlistedGate = 'Deny' | 'Allow';

/**
 * How the operator reaches the service, and what policies may do through this connection.
 */
export interface ClusterRoleAlertConnectionSpec {
  /**
   * Address and API version of the service.
   */
  readonly endpoint: ConnectionEndpoint;
  /**
   * How the operator authenticates to the service. Exactly one of clientCredentials, federated and
   * tokenSecretRef. They name a Secret or a ServiceAccount: of a RoleAlertConnection in its own
   * namespace, of a ClusterRoleAlertConnection in the operator's cluster resource namespace, which is
   * that of the operator's Pod, or the value of its flag --cluster-resource-namespace. The operator uses
   * a Secret only if it has the label rolealerts.dev/credential: "true", and a ServiceAccount only for
   * the audience in its annotation rolealerts.dev/federated-audience, so that a connection cannot send
   * out a credential that was never meant for it.
   */
  readonly auth: ConnectionAuth;
  /**
   * Whether policies may deactivate alerts through this connection. Deny, the default, refuses
   * deactivations with the reason DeactivationDenied; activations are always allowed. When Allow changes
   * to Deny, the operator activates again the alerts that it deactivated through this connection.
   */
  readonly deactivation: DeactivationGate;
  /**
   * When the operator may send deactivations through this connection, up to 4 windows. The
   * correctionWindows of the policy must be open as well. Outside the windows a deactivation waits with
   * the reason WaitingForWindow; lists, activations and ends of dismissals never wait, and an alert that
   * is inactive stays so. If unset, always.
   *
   * Items: One correction window. It begins when its schedule matches the clock of its time zone, and ends
   * after its duration.
   */
  readonly correctionWindows?: readonly CorrectionWindow[];
  /**
   * What the policies of each namespace may do, up to 64 entries. A policy may do something if one entry
   * allows all of it: the entry selects its namespace, contains its scope, and covers the mode and the
   * direction. Entries are never added together. Without entries, no policy may use the connection. A
   * change takes effect at once.
   */
  readonly access?: readonly AccessEntry[];
  /**
   * Rate limits, response size limits and limits on dismissals. All policies of this connection share
   * them.
   */
  readonly limits: ConnectionLimits;
}
/**
 * What the policies of some namespaces may do on some scopes.
 */
export interface AccessEntry {
  readonly namespaceSelector: NamespaceSelector;
  /**
   * Scopes, 1 to 64. Each contains itself and everything below it by whole segments, compared without
   * regard to case: subscriptions/a contains subscriptions/A/resourceGroups/b, but not subscriptions/ab.
   */
  readonly scopes: readonly string[];
  /**
   * The most that the policies may do. Observe lets them list the alerts only; a policy with spec.mode
   * Enforce is treated as Observe then, with the reason ModeNotGranted. Enforce lets them correct alerts
   * as well.
   */
  readonly maxMode: PolicyMode;
  /**
   * Whether the policies may deactivate alerts, if spec.deactivation is Allow as well. It needs maxMode
   * Enforce.
   */
  readonly deactivation: DeactivationGate;
  readonly unlisted: UnlistedGate;
}
/**
 * Selects namespaces by their labels; all requirements must hold. An empty selector, {}, selects every
 * namespace. The label kubernetes.io/metadata.name selects a namespace by its name.
 */
export interface NamespaceSelector {
  /**
   * Labels that the namespace must have, with these values; up to 16.
   */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /**
   * Requirements for labels, up to 16.
   */
  readonly matchExpressions?: readonly LabelRequirement[];
}
/**
 * A requirement for one label.
 */
export interface LabelRequirement {
  /**
   * The name of the label, up to 317 characters.
   */
  readonly key: string;
  readonly operator: LabelOperator;
  /**
   * Values of the label, 1 to 64.
   */
  readonly values?: readonly string[];
}
/**
 * What the operator observed and did through this connection. The operator replaces it as a whole, and
 * only when something changed.
 */
export interface ClusterRoleAlertConnectionStatus {
  /**
   * The metadata.generation that the operator tried last. A value below metadata.generation means that
   * the status refers to an older spec; -1 means that the operator has not tried the connection yet.
   */
  readonly observedGeneration: number;
  /**
   * Ready, with the reason Connected while the service answers, and Capacity, with the reason
   * BudgetTooSmall while the policies need more requests than limits.requestsPerHour allows. Both have
   * the reason Pending until the operator has tried the connection.
   *
   * Items: One aspect of the state, as in other Kubernetes APIs.
   */
  readonly conditions?: readonly Condition[];
  /**
   * Number of policies that use this connection.
   */
  readonly policies?: number;
  /**
   * Number of different scopes that those policies may list.
   */
  readonly scopes?: number;
  /**
   * Number of namespaces with such policies.
   */
  readonly namespaces?: number;
  /**
   * Requests per hour that those policies need while nothing drifts. Above limits.requestsPerHour,
   * reconciles are delayed. After a start of the operator, the number does not fall before every scope
   * was listed once.
   */
  readonly predictedRequestsPerHour?: number;
  /**
   * The deactivations that were sent through this connection, the oldest first, for as long as
   * limits.deactivationsPerHour or spec.damping of a policy at the scope counts them.
   *
   * Items: One deactivation.
   */
  readonly recentDeactivations?: readonly RecentDeactivation[];
  /**
   * Number of entries in dismissals.
   */
  readonly dismissalCount?: number;
  /**
   * The register of every alert that the operator deactivated through this connection, by the end of the
   * dismissal; those without an end come last. An entry stays until a list that starts at least two
   * minutes later shows the alert active. When no policy declares the alert Inactive any more, the
   * operator activates it again. Up to 500 entries or 256 KiB; beyond that the operator deactivates
   * nothing more, with the reason LedgerFull. Each list of the scope brings policy, until, incidents,
   * maxIncidents and reason up to date; an entry with neither until nor incidents is one that no policy
   * declares.
   *
   * Items: One alert that the operator deactivated.
   */
  readonly dismissals?: readonly DismissalRecord[];
}
