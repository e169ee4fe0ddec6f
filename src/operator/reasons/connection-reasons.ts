// The reasons of a connection's conditions and events, each with its sentences.
import { policyReasons, type ReasonText } from './policy-reasons.ts';

/** Reasons of a connection's Ready condition, and of a policy's ConnectionReady. */
export const connectionReasons = {
  Connected: { message: 'The service answers.' },
  SecretNotFound: {
    message: '{Secret}: the Secret or the key does not exist.',
    next: 'Create the Secret with that key; the operator reads it again every 30 seconds.',
  },
  SecretInvalid: {
    message: '{Secret}: the value is empty or cannot be used as a credential.',
    next: 'Correct the value in the Secret; the operator reads it again every 30 seconds.',
  },
  SecretNotAllowed: {
    message:
      '{Secret}: the operator may not use it, because it lacks the label rolealerts.dev/credential: "true" or RBAC forbids reading it.',
    next: 'If it is meant as a credential, run `kubectl label --overwrite secret {secretArguments} rolealerts.dev/credential=true`.',
  },
  ServiceAccountNotFound: {
    message: '{ServiceAccount}: the ServiceAccount of {connection} does not exist.',
    next: 'Create it, or correct auth.federated.serviceAccountName; the operator reads it again every 30 seconds.',
  },
  ServiceAccountNotAllowed: {
    message:
      '{ServiceAccount}: the operator may not use it, because its annotation rolealerts.dev/federated-audience is not the audience of {connection}.',
    next: 'If it is meant for this, run `kubectl annotate --overwrite serviceaccount {accountArguments}`.',
  },
  AudienceNotAllowed: {
    message: '{Connection}: the API server accepts the audience{audience}, so a token for it could act in the cluster.',
    next: 'Set auth.federated.audience to the audience that the token endpoint expects, such as api://AzureADTokenExchange.',
  },
  TokenRequestFailed: {
    message: '{ServiceAccount}: the API server gives the operator no token of it for {connection}.',
    next: 'Apply the Role of deploy/federated for this ServiceAccount; the event has the exact cause. The operator tries again every 30 seconds.',
  },
  Unauthorized: {
    message: '{Credential}: the service at {endpoint} refuses the credential.',
    next: 'Renew {renewable}; the operator notices a change within 30 seconds.',
  },
  TokenEndpointFailed: {
    message: '{Connection}: the token endpoint{tokenURL} issued no token for {clientCredential}.',
    next: "Check {tokenRequestParts}; the event and the operator's log have the cause.",
  },
  TLSFailed: {
    message: '{Connection}: no trusted TLS connection to {endpoint}{orTokenURL} can be made.',
    next: 'Set endpoint.caBundleRef to the right authority, or renew the certificate of the service; the operator tries both every 30 seconds.',
  },
  Unreachable: {
    message: '{Connection}: the service at {endpoint} cannot be reached or fails; the operator retries.',
    next: 'Check the network, DNS and the service.',
  },
  CircuitOpen: {
    message:
      '{Connection}: the circuit breaker is open after repeated failures of {endpoint}; single requests test whether the service has recovered.',
    next: 'Check the network, DNS and the service; the connection recovers without further action.',
  },
  Throttled: {
    message:
      '{Connection}: the service throttles its requests; all of them wait as long as the service asked, at most one hour.',
    next: 'If this recurs, raise the intervals of the policies.',
  },
  InvalidEndpoint: {
    message: '{Connection}: the operator does not allow the address {endpoint}{orTokenURL}.',
    next: 'Use https and a public address, without user, query and fragment; see the options --allow-http and --allow-private-endpoints.',
  },
  HostNotAllowed: {
    message:
      "{Connection}: the operator's option --allowed-hosts does not include {hosts}; the operator sends no request.",
    next: 'Use a host that it includes, or restart the operator with --allowed-hosts including the host.',
  },
  CABundleNotFound: {
    message: '{ConfigMap}: the CA bundle of {connection} does not exist, is empty, or RBAC forbids reading it.',
    next: 'Create the ConfigMap with that key, or correct endpoint.caBundleRef; the operator reads it again every 30 seconds.',
  },
  CRDOutdated: {
    message:
      '{Connection}: the API server does not keep its whole status, because the CRDs are older than the operator; the operator deactivates no alert.',
    next: 'Run `kubectl apply --server-side -k crds` with the manifests of the version of the operator.',
  },
  Deleting: {
    message:
      '{Connection} is being deleted. Its finalizer rolealerts.dev/dismissals delays that until {remaining} active again{cause}.',
    next: 'Wait. To leave the alerts of status.dismissals inactive instead, remove the finalizer.',
  },
  ConnectionNotFound: policyReasons.ConnectionNotFound,
} as const satisfies Readonly<Record<string, ReasonText>>;

/** Reasons of a connection's Capacity condition. */
export const capacityReasons = {
  BudgetSufficient: {
    message:
      'The policies need {needed} requests an hour while nothing drifts, and limits.requestsPerHour allows {allowed}.',
  },
  BudgetTooSmall: {
    message:
      '{Connection}: its policies need {needed} requests an hour while nothing drifts, and limits.requestsPerHour allows {allowed}, so scopes are listed too late.',
    next: 'Raise limits.requestsPerHour to {enough} or more{orInterval}.',
  },
} as const satisfies Readonly<Record<string, ReasonText>>;
