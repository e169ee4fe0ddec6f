// Made from crds/rolealerts.dev_rolealertconnections.yaml by `npm run generate`. Change that file, never this one.
import type { Condition } from './role-alert-policy.ts';
import type { CorrectionWindow } from './role-alert-policy.ts';

/**
 * Kind of the object that holds the certificates. ConfigMap, the default, is the only one.
 */
export type CaBundleKind = 'ConfigMap';
/**
 * Whether policies may deactivate alerts through this connection. Deny, the default, refuses
 * deactivations with the reason DeactivationDenied; activations are always allowed. When Allow changes
 * to Deny, the operator activates again the alerts that it deactivated through this connection.
 */
export type DeactivationGate = 'Deny' | 'Allow';

/**
 * How the operator reaches the service, and what policies may do through this connection.
 */
export interface RoleAlertConnectionSpec {
  readonly endpoint: ConnectionEndpoint;
  readonly auth: ConnectionAuth;
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
  readonly limits: ConnectionLimits;
}
/**
 * Address and API version of the service.
 */
export interface ConnectionEndpoint {
  /**
   * Base URL of the service, for example https://management.example.net, up to 512 characters, without
   * user, query and fragment. It cannot change while status.dismissals has entries. Plain http requires
   * the operator flag --allow-http; private and loopback addresses require --allow-private-endpoints.
   */
  readonly baseURL: string;
  /**
   * Provider namespace in the paths of the service, the part after /providers/, up to 128 characters. It
   * cannot change while status.dismissals has entries. Default Vendor.Authorization.
   */
  readonly providerNamespace: string;
  /**
   * Value of the api-version parameter of every request, up to 64 characters. Default
   * 2022-08-01-preview.
   */
  readonly apiVersion: string;
  readonly caBundleRef?: CaBundleRef;
}
/**
 * CA certificates to trust for this service and its token endpoint instead of the public ones, in PEM
 * form. Certificates are not secret, so this is a ConfigMap, in the namespace of the credential, and
 * it needs no label. A change takes effect within a minute, or at the next request after a TLS
 * failure. A bundle that is deleted is used for a minute at most. If unset, the public CAs are
 * trusted.
 */
export interface CaBundleRef {
  readonly kind: CaBundleKind;
  /**
   * Name of the ConfigMap, up to 253 characters.
   */
  readonly name: string;
  /**
   * Key in the ConfigMap's data that holds the certificates. Default ca.crt.
   */
  readonly key: string;
}
/**
 * How the operator authenticates to the service. Exactly one of clientCredentials, federated and
 * tokenSecretRef. They name a Secret or a ServiceAccount: of a RoleAlertConnection in its own
 * namespace, of a ClusterRoleAlertConnection in the operator's cluster resource namespace, which is
 * that of the operator's Pod, or the value of its flag --cluster-resource-namespace. The operator uses
 * a Secret only if it has the label rolealerts.dev/credential: "true", and a ServiceAccount only for
 * the audience in its annotation rolealerts.dev/federated-audience, so that a connection cannot send
 * out a credential that was never meant for it.
 */
export interface ConnectionAuth {
  readonly clientCredentials?: ClientCredentials;
  readonly federated?: FederatedIdentity;
  /**
   * A bearer token in a Secret that another system maintains. The Secret has the label
   * rolealerts.dev/credential: "true". A renewed token takes effect within a minute, or at once when the
   * service refuses the old one. A Secret that is deleted or loses its label is used for a minute at
   * most.
   */
  readonly tokenSecretRef?: SecretKeyRef;
}
/**
 * The operator fetches tokens from an OAuth 2.0 token endpoint with the client credentials grant (RFC
 * 6749, section 4.4), keeps them in memory only, and renews them before they expire.
 */
export interface ClientCredentials {
  /**
   * URL of the token endpoint, for example https://login.example.net/oauth2/token, up to 512 characters,
   * without user and fragment. Plain http and private addresses require the same operator flags as
   * baseURL.
   */
  readonly tokenURL: string;
  /**
   * The client's identifier at the token endpoint, up to 256 printable characters.
   */
  readonly clientID: string;
  /**
   * OAuth scopes to request, up to 16, for example https://management.example.net/.default. If unset,
   * the request names no scope. An OAuth scope is unrelated to the scope of a policy.
   */
  readonly scopes?: readonly string[];
  readonly clientSecretRef: SecretKeyRef;
}
/**
 * The client secret, in a Secret that has the label rolealerts.dev/credential: "true". A changed
 * secret takes effect within a minute. A Secret that is deleted or loses its label, and the tokens
 * obtained with it, are used for a minute at most.
 */
export interface SecretKeyRef {
  /**
   * Name of the Secret, up to 253 characters.
   */
  readonly name: string;
  /**
   * Key in the Secret's data that holds the client secret.
   */
  readonly key: string;
}
/**
 * The operator fetches tokens from an OAuth 2.0 token endpoint as a ServiceAccount, without a secret
 * (workload identity federation): it authenticates with a token of the ServiceAccount, which the token
 * endpoint verifies with the keys of this cluster's issuer (RFC 7523, section 2.2). The operator needs
 * the Role of deploy/federated for this ServiceAccount.
 */
export interface FederatedIdentity {
  /**
   * URL of the token endpoint, for example https://login.example.net/oauth2/token, up to 512 characters,
   * without user and fragment. Plain http and private addresses require the same operator flags as
   * baseURL.
   */
  readonly tokenURL: string;
  /**
   * The client's identifier at the token endpoint, up to 256 printable characters.
   */
  readonly clientID: string;
  /**
   * OAuth scopes to request, up to 16, for example https://management.example.net/.default. If unset,
   * the request names no scope. An OAuth scope is unrelated to the scope of a policy.
   */
  readonly scopes?: readonly string[];
  /**
   * Name of the ServiceAccount, up to 253 characters. It must have the annotation
   * rolealerts.dev/federated-audience with the value of audience. When the ServiceAccount is deleted or
   * loses that annotation, the tokens obtained with it are used for a minute at most.
   */
  readonly serviceAccountName: string;
  /**
   * The audience that the token endpoint expects in the token of the ServiceAccount, up to 256
   * characters, for example api://AzureADTokenExchange. It must not be an audience that the API server
   * of this cluster accepts.
   */
  readonly audience: string;
}
/**
 * Rate limits, response size limits and limits on dismissals. All policies of this connection share
 * them.
 */
export interface ConnectionLimits {
  /**
   * Average number of requests per hour, 1 to 1000000. status.predictedRequestsPerHour shows how many
   * the policies need, and the condition Capacity whether this suffices. The default, 7200, suffices for
   * 1800 scopes at an interval of 15m.
   */
  readonly requestsPerHour: number;
  /**
   * Number of requests that may follow each other without delay after an idle time, 2 to 10000. A
   * correction needs two: the PATCH and the list that verifies it. Default 100.
   */
  readonly burst: number;
  /**
   * Maximum number of requests in flight, 1 to 64. Default 4.
   */
  readonly maxConcurrent: number;
  /**
   * Deadline of one request, as a duration from 1s to 5m. A PATCH may take 15s at most. Default 30s.
   */
  readonly requestTimeout: string;
  /**
   * Minimum interval of a policy, as a duration from 5s to 24h. Shorter intervals are raised to it.
   * Default 1m.
   */
  readonly minInterval: string;
  /**
   * Maximum number of pages in one list of alerts, 1 to 10000. A longer list is rejected as a whole with
   * the reason ListTooLarge and changes nothing. Default 100.
   */
  readonly maxPages: number;
  /**
   * Maximum size of one response in bytes, 1024 to 134217728 (128 MiB). A list with a larger page is
   * rejected with the reason ListTooLarge and changes nothing. Default 33554432 (32 MiB).
   */
  readonly maxPageBytes: number;
  /**
   * Maximum number of deactivations through this connection within an hour, 0 to 100. Further ones wait.
   * Activations never wait for this limit. Default 10.
   */
  readonly deactivationsPerHour: number;
  /**
   * Maximum time until the end (until) of a dismissal that names no incidents, and of every dismissal
   * with dismissalsNeedEnd, as a duration from 1m to 8760h (365 days). The operator measures it at each
   * reconcile: a lower value ends longer dismissals. Default 720h (30 days).
   */
  readonly maxDismissal: string;
  /**
   * True requires an end (until) of every dismissal, at most maxDismissal ahead, also of one that names
   * its incidents. Others are denied with the reason DismissalTooLong, and the operator activates their
   * alerts again. If unset, a dismissal that names its incidents needs no end.
   */
  readonly dismissalsNeedEnd?: boolean;
}
/**
 * What the operator observed and did through this connection. The operator replaces it as a whole, and
 * only when something changed.
 */
export interface RoleAlertConnectionStatus {
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
   * Requests per hour that those policies need while nothing drifts. Above limits.requestsPerHour,
   * reconciles are delayed. After a start of the operator, the number does not fall before every scope
   * was listed once.
   */
  readonly predictedRequestsPerHour?: number;
  /**
   * The deactivations that were sent through this connection, the oldest first, for as long as
   * limits.deactivationsPerHour or spec.damping of a policy at the scope counts them.
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
   */
  readonly dismissals?: readonly DismissalRecord[];
}
/**
 * One deactivation.
 */
export interface RecentDeactivation {
  /**
   * When it was sent, in UTC.
   */
  readonly at: string;
  /**
   * The namespace of the policy that declared it.
   */
  readonly namespace: string;
  /**
   * The scope in canonical form.
   */
  readonly scope: string;
  /**
   * The name of the alert.
   */
  readonly alert: string;
}
/**
 * One alert that the operator deactivated.
 */
export interface DismissalRecord {
  /**
   * The scope in its canonical form.
   */
  readonly scope: string;
  /**
   * Name of the alert.
   */
  readonly alert: string;
  /**
   * The policy that declares the dismissal, as namespace/name, or the last one that did.
   */
  readonly policy: string;
  /**
   * When the operator may have sent the last PATCH that deactivates the alert, in UTC. Recorded before
   * that PATCH is sent.
   */
  readonly since: string;
  /**
   * The end of the dismissal, in UTC; the operator then activates the alert. Absent when the dismissal
   * has no end, because it names the incidents that it covers.
   */
  readonly until?: string;
  /**
   * How many incidents the dismissal names by their ids; another incident ends it. Absent when it names
   * none.
   */
  readonly incidents?: number;
  /**
   * The number of incidents that the dismissal covers; one more ends it. Absent without a maximum.
   */
  readonly maxIncidents?: number;
  /**
   * The reason that the policy declares, cut to 120 characters. Absent while no policy declares the
   * dismissal.
   */
  readonly reason?: string;
  /**
   * Since when the service has not listed the alert, or its scope, in UTC. After a day and at least
   * three such responses the operator removes the entry. Unset while the alert is listed.
   */
  readonly missingSince?: string;
}
