// Every reason of a condition or an event, with its sentences: of policies, of connections, and of their capacity.
import { fillIn, type MessageFacts } from './message-facts.ts';

/** `message` and `next` make up the message. Both may have the placeholders of message-facts.ts. */
export interface ReasonText {
  /** The object first, then what is so, then why. */
  readonly message: string;
  /** The next step of the reader; absent when there is nothing to do. */
  readonly next?: string;
}

export const policyReasons = {
  // The default of every schema (`pendingStatus`); the operator never writes it.
  Pending: {
    message: 'Waiting for the operator.',
  },
  Progressing: {
    message: '{Alerts}: the correction is planned but not sent yet.',
    next: 'No action is needed: the operator sends it as soon as the rate limiter of the connection allows.',
  },
  Succeeded: { message: 'Every declared alert has its desired state.' },
  InSync: { message: 'No alert differs from its desired state.' },
  VerifyingWrite: {
    message: '{Alerts}: the correction was sent, but the list of the service does not show it yet.',
    next: 'No action is needed: the operator lists the scope again after 1, 2, 4, 8 … seconds.',
  },
  WriteNotVerified: {
    message:
      '{Alerts}: the service accepted the correction, but its list did not show it within two minutes; the operator repeats it.',
    next: 'Ask the owner of the service why the change has no effect; another client may undo it.',
  },
  RetryingWrite: {
    message: '{Alerts}: the operator will repeat the correction.',
    next: 'The condition Ready has the cause and the next step.',
  },
  Observed: {
    message: '{Alerts}: not corrected, because {observingCause}.',
    next: 'To have drift corrected, {observingFix}.',
  },
  ObserveOnly: {
    message: '{Alerts}: the live state differs from the desired state, and is not corrected, because {observingCause}.',
    next: 'Compare `want` and `live` in status.alerts.',
  },
  Suspended: {
    message: 'Reconciliation of this policy is suspended{untilEnd}.',
    next: 'Set spec.suspend to false{earlier}.',
  },
  DeactivationDenied: {
    message: '{Alerts}: declared Inactive, but {connection} does not allow deactivation{denyingCause}.',
    next: 'Ask the owner of the connection to {denyingFix}, or declare the state Active.',
  },
  DismissalTooLong: {
    message:
      '{Alerts}: not deactivated, because the dismissal {tooLong} than limits.maxDismissal of {connection} allows.',
    next: 'Set an earlier `until`{orIncidents}.',
  },
  DismissalIncomplete: {
    message:
      '{Alerts}: not deactivated, because the dismissal lacks a reason of at least 8 non-blank characters, or lacks both `until` and `incidents`.',
    next: 'Complete the dismissal, or declare the state Active.',
  },
  LedgerFull: {
    message: '{Alerts}: not deactivated, because {connection} has as many dismissals as it can record.',
    next: 'End dismissals that are no longer needed; status.dismissals of the connection lists them.',
  },
  Flapping: {
    message: '{Alerts}: active, although deactivated as often as spec.damping allows; further deactivations wait.',
    next: 'Find out which client activates the alert (lastDrift in status.alerts), or wait until the window of spec.damping has passed.',
  },
  DeactivationLimited: {
    message:
      '{Alerts}: the deactivation waits, because {connection} has sent as many as limits.deactivationsPerHour or the 500 of status.recentDeactivations allow.',
    next: 'Wait until the oldest of these no longer counts, or raise the limit. A limit of 0 allows no deactivation.',
  },
  WaitingForWindow: {
    message: '{Alerts}: the deactivation waits, because correction windows are closed{opening}.',
    next: 'No action is needed. To deactivate earlier, change spec.correctionWindows of the policy or of {connection}.',
  },
  OutsideWindow: {
    message:
      '{Alerts}: the live state differs from the desired state, and correction windows hold the deactivation{opening}.',
    next: 'Compare `want` and `live` in status.alerts.',
  },
  NoWindowAhead: {
    message:
      '{Alerts}: not deactivated, because the operator finds no time at which the correction windows of the policy and of {connection} are both open.',
    next: 'Change spec.correctionWindows of one of them.',
  },
  WindowInvalid: {
    message: '{Alerts}: not deactivated, because {window} is not valid.',
    next: 'Correct it, or remove the window.',
  },
  CorrectionUndone: {
    message: '{Alerts}: another client keeps undoing the activation; the operator repeats it with increasing delay.',
    next: 'Find out which client deactivates the alert (lastDrift in status.alerts).',
  },
  ScopeConflict: {
    message: '{Alerts}: owned by {owners}, whose desired state is the opposite.',
    next: 'Change one of the policies.',
  },
  ConnectionDeleting: {
    message: '{Connection} is being deleted; the operator only activates what it deactivated through it.',
    next: 'Wait until it is gone, and create it again, or create the policy again with another connection.',
  },
  ConnectionNotFound: {
    message: '{Connection} does not exist, or no operator serves it.',
    next: 'Create it{inNamespace}, or create the policy again with the right spec.connectionRef. If it exists, compare its labels with --connection-selector of the operator.',
  },
  AccessDenied: {
    message: '{Connection} grants nothing {asked}; the operator sends no request for this policy.',
    next: 'Ask the owner of the connection for an entry in spec.access with the scope and the labels of the namespace.',
  },
  ModeNotGranted: {
    message: '{Connection} grants only Observe {asked}: drift is reported and not corrected.',
    next: 'Ask the owner of the connection for an entry in spec.access with maxMode Enforce, or set spec.mode to Observe.',
  },
  GuardDenied: {
    message: '{Connection} does not grant spec.unlisted {asked}: unlisted alerts are not guarded.',
    next: 'Ask its owner for an access entry with unlisted Allow, or set spec.unlisted.state to Ignore.',
  },
  ConnectionNotReady: {
    message: '{Connection} is not ready{cause}.',
    next: 'The condition ConnectionReady has the cause and the next step.',
  },
  ScopeRejected: {
    message: '{Scope}: the service rejects the request to list its alerts{code}.',
    next: "Check spec.scope; the operator's log has the message of the service.",
  },
  ScopeForbidden: {
    message: '{Scope}: the service does not allow the identity of {connection} to list its alerts{code}.',
    next: 'Grant the identity access to the scope; a new grant can take minutes.',
  },
  ScopeNotFound: {
    message: '{Scope}: unknown to the service{code}.',
    next: 'Check spec.scope and the path of endpoint.baseURL. If the scope is wrong or gone, delete the policy, and create another one for the right scope.',
  },
  AlertNotFound: {
    message: '{Alerts}: not listed by the service for {scope}.{missing}',
    next: 'Check {missingFix}, or remove the entry.',
  },
  CorrectionFailed: {
    message: '{Alerts}: the service refused the correction{code}; the other alerts are not affected.',
    next: 'Grant the identity of {connection} the right to update alerts.',
  },
  ProtocolError: {
    message: '{Scope}: the response of the service is not a valid list of alerts; the operator changed nothing.',
    next: 'Check that endpoint.baseURL of {connection} is the service, not a proxy or a login page.',
  },
  ListTooLarge: {
    message:
      '{Scope}: the list of alerts exceeds limits.maxPages or limits.maxPageBytes of {connection}, or 5000 alerts; the operator changed nothing.',
    next: 'Raise the limit if such a list is expected.',
  },
  UnsafeNextLink: {
    message:
      '{Scope}: the nextLink of the list leads to another origin or path, and the operator does not follow it; it changed nothing.',
    next: 'Check endpoint.baseURL of {connection}; a service behind a proxy must put its public address into links.',
  },
  ServiceUnreachable: {
    message: '{AlertsOrScope}: the service at {endpoint} {failed}; the operator retries.',
    next: 'Check {failedFix}.',
  },
  Stale: {
    message: '{Scope}: not listed for three intervals, because the service throttles {connection}.',
    next: 'Raise the intervals of the policies, or ask the owner of the service for a higher limit.',
  },
  InternalError: {
    message: '{Scope}: the reconcile failed because of a bug in the operator.',
    next: "Report it with the lines about the scope in the operator's log.",
  },
  IncidentsFound: {
    message: '{Alerts}: active, with incidents.',
    next: 'Handle the incidents in the service; status.alerts has their number and ids.',
  },
  NoIncidents: { message: 'No declared alert is active with incidents.' },
  ScanningDisabled: {
    message: '{Alerts}: scanning is disabled, so the service finds no new incidents.',
    next: 'Have the scan enabled in the service (isEnabled of the alert configuration).',
  },
} as const satisfies Readonly<Record<string, ReasonText>>;

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
    message: '{Connection}: the token endpoint{tokenURL} {issuedNoToken}.',
    next: 'Check {tokenFix}.',
  },
  TLSFailed: {
    message: '{Connection}: no trusted TLS connection to {endpoint}{orTokenURL} can be made{untrusted}.',
    next: 'Check {trustFix}; the operator tries again every 30 seconds.',
  },
  Unreachable: {
    message: '{Connection}: the service at {endpoint} {failed}; the operator retries.',
    next: 'Check {failedFix}.',
  },
  CircuitOpen: {
    message:
      '{Connection}: the circuit breaker is open, because requests fail repeatedly: the service at {endpoint} {failed}; single requests test whether it has recovered.',
    next: 'Check {failedFix}; the connection recovers without further action.',
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
      '{Connection}: its policies need {needed} requests an hour while nothing drifts, and limits.requestsPerHour allows {allowed}, so scopes are listed too late{largest}.',
    next: 'Raise limits.requestsPerHour to {enough} or more{orInterval}.',
  },
} as const satisfies Readonly<Record<string, ReasonText>>;

export type PolicyReason = keyof typeof policyReasons;
export type ConnectionReason = keyof typeof connectionReasons;
export type CapacityReason = keyof typeof capacityReasons;
export type Reason = PolicyReason | ConnectionReason | CapacityReason;

export const reasonTexts: Readonly<Record<Reason, ReasonText>> = {
  ...policyReasons,
  ...connectionReasons,
  ...capacityReasons,
};

/** The object, what is so, why, and the next step if there is one. */
export function conditionMessage(reason: Reason, facts: MessageFacts = {}): string {
  const { message, next } = reasonTexts[reason];
  return fillIn(next === undefined ? message : `${message} ${next}`, facts);
}

/** Every reason of a condition, in the order of the tables. */
export const allReasons = Object.keys(reasonTexts) as readonly Reason[];
