// Made from crds/rolealerts.dev_rolealertconnections.yaml by `npm run generate`. Change that file, never this one.
import type { Condition } from './role-alert-policy.ts';

/**
 * Kind of the object that holds the certificates. ConfigMap, the default, is the only one.
 */
export type CaBundleKind = 'ConfigMap';
/**
 * Whether any policy may turn an alert off through this connection. Deny, the default, refuses it with
 * the reason DeactivationDenied; turning alerts on is always allowed. Changing Allow to Deny turns on
 * again what was turned off through this connection.
 */
export type DeactivationGate = 'Deny' | 'Allow';

/**
 * How the service is reached, and what may be done through this connection.
 */
export interface RoleAlertConnectionSpec {
  readonly endpoint: ConnectionEndpoint;
  readonly auth: ConnectionAuth;
  readonly deactivation: DeactivationGate;
  readonly limits: ConnectionLimits;
}
/**
 * Where the service is and which version of it is spoken.
 */
export interface ConnectionEndpoint {
  /**
   * Base address of the service, for example https://management.example.net, up to 512 characters.
   * Without user, query and fragment. It cannot change while status.dismissals has entries. Plain http
   * is only used when the operator was started with --allow-http, and private and loopback addresses
   * only with --allow-private-endpoints.
   */
  readonly baseURL: string;
  /**
   * Vendor namespace in the paths of the service, the part after /providers/, up to 128 characters. It
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
 * Certificates of authorities to trust for this service and its token endpoint, in PEM form, instead
 * of the public ones. Certificates are no secret, so this is a ConfigMap of the connection's
 * namespace, and it needs no label. A change takes effect within a minute, or at the next request
 * after a TLS failure; a bundle that is gone is used for a minute at most. Unset means the public
 * authorities.
 */
export interface CaBundleRef {
  readonly kind: CaBundleKind;
  /**
   * Name of the ConfigMap in the namespace of this connection, up to 253 characters.
   */
  readonly name: string;
  /**
   * Key in the ConfigMap's data that holds the certificates. Default ca.crt.
   */
  readonly key: string;
}
/**
 * As whom the service is asked. Exactly one of clientCredentials and tokenSecretRef. Both name a
 * Secret of the connection's namespace, which must carry the label rolealerts.dev/credential: "true":
 * without it the Secret is not used, so that nobody can have the operator send out a Secret that was
 * never meant for it.
 */
export interface ConnectionAuth {
  readonly clientCredentials?: ClientCredentials;
  /**
   * A bearer token that something else puts into a Secret and renews there. The Secret is of the
   * connection's namespace and carries the label rolealerts.dev/credential: "true". A renewed token is
   * used within a minute, and at once when the service refuses the old one; a Secret that is gone or
   * lost its label is used for a minute at most.
   */
  readonly tokenSecretRef?: SecretKeyRef;
}
/**
 * Tokens are fetched from an OAuth 2.0 token endpoint with the client credentials grant (RFC 6749,
 * section 4.4), kept in memory only, and renewed before they end.
 */
export interface ClientCredentials {
  /**
   * The token endpoint, for example https://login.example.net/oauth2/token, up to 512 characters.
   * Without user and fragment. Plain http and private addresses need the same flags of the operator as
   * baseURL.
   */
  readonly tokenURL: string;
  /**
   * The client's identifier at the token endpoint, up to 256 printable characters.
   */
  readonly clientID: string;
  /**
   * OAuth scopes to ask for, up to 16, for example https://management.example.net/.default. Unset asks
   * for none. Not to be confused with the scope of a policy.
   */
  readonly scopes?: readonly string[];
  readonly clientSecretRef: SecretKeyRef;
}
/**
 * The client secret, in a Secret of the connection's namespace that carries the label
 * rolealerts.dev/credential: "true". A changed secret is used within a minute; a Secret that is gone
 * or lost its label, and the tokens got with it, are used for a minute at most.
 */
export interface SecretKeyRef {
  /**
   * Name of the Secret in the namespace of this connection, up to 253 characters.
   */
  readonly name: string;
  /**
   * Key in the Secret's data that holds the client secret.
   */
  readonly key: string;
}
/**
 * How hard the service may be asked, and what is believed of its answers. Shared by all policies of
 * this connection.
 */
export interface ConnectionLimits {
  /**
   * Requests per hour, on average, 1 to 1000000. status.predictedRequestsPerHour shows what is needed.
   * Default 3600.
   */
  readonly requestsPerHour: number;
  /**
   * Requests that may follow each other at once after a quiet time, 2 to 10000; a correction needs two,
   * the write and its proof. Default 20.
   */
  readonly burst: number;
  /**
   * Requests that may be under way at the same time, 1 to 64. Default 4.
   */
  readonly maxConcurrent: number;
  /**
   * How long one request may take in all, as a duration from 1s to 5m. A PATCH may take 15s at most.
   * Default 30s.
   */
  readonly requestTimeout: string;
  /**
   * The shortest interval of a policy, as a duration from 5s to 24h; shorter ones are raised to it.
   * Default 1m.
   */
  readonly minInterval: string;
  /**
   * Pages that one list of alerts may have, 1 to 10000. A longer list is refused as a whole and changes
   * nothing. Default 100.
   */
  readonly maxPages: number;
  /**
   * Bytes that one answer may have, 1024 to 134217728 (128 MiB). A bigger one is refused as ListTooLarge
   * and changes nothing. Default 33554432 (32 MiB).
   */
  readonly maxPageBytes: number;
  /**
   * How many alerts may be turned off through this connection within an hour, 0 to 100. Further ones
   * wait. Turning on is never held. Default 10.
   */
  readonly deactivationsPerHour: number;
  /**
   * How far ahead the until of a dismissal may be that names no incidents, as a duration from 1m to
   * 8760h (365 days). Measured at each decision: a lower value ends longer dismissals. Default 720h (30
   * days).
   */
  readonly maxDismissal: string;
}
/**
 * What the operator saw and did through this connection. It is replaced as a whole, and only when
 * something changed.
 */
export interface RoleAlertConnectionStatus {
  /**
   * The metadata.generation that was tried last. Anything below metadata.generation means that the
   * status speaks of an older spec; -1 means that nothing was tried yet.
   */
  readonly observedGeneration: number;
  /**
   * Ready, with the reason Connected while the service answers.
   *
   * Items: One aspect of the state, as in every Kubernetes API.
   */
  readonly conditions?: readonly Condition[];
  /**
   * How many policies use this connection.
   */
  readonly policies?: number;
  /**
   * How many different scopes those policies name.
   */
  readonly scopes?: number;
  /**
   * Requests per hour that those policies need while nothing drifts. Above limits.requestsPerHour, looks
   * come late.
   */
  readonly predictedRequestsPerHour?: number;
  /**
   * When alerts were turned off through this connection within the last hour, for
   * limits.deactivationsPerHour.
   */
  readonly recentDeactivations?: readonly string[];
  /**
   * Every alert that this operator turned off through this connection, until a list that begins two
   * minutes later or more shows it on. When nothing declares it off any more, it is turned on again. Up
   * to 500; then nothing more is turned off.
   */
  readonly dismissals?: readonly DismissalRecord[];
}
/**
 * One alert that this operator turned off.
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
   * The policy that declares it, as namespace/name; once none does, the one that did.
   */
  readonly policy: string;
  /**
   * When the last request that deactivates it may have been sent, in UTC; written before that request.
   */
  readonly since: string;
  /**
   * Since when the service has not listed the alert, or its scope, in UTC. After a day and at least
   * three such answers the dismissal is no longer recorded. Unset while the alert is listed.
   */
  readonly missingSince?: string;
}
