// The reasons of a policy's conditions and events, each with its sentences.
import type { ReasonText } from './reason-text.ts';

/** Reasons of a policy's conditions. */
export const policyReasons = {
  // The default of every schema (`pendingStatus`); the operator never writes it.
  Pending: {
    message: 'Waiting for the operator.',
    more: 'Nothing for the first minutes: the first lists wait for the rate limiter. If it remains, check that the operator runs and watches the namespace. A connection without policies stays Pending.',
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
    more: 'The condition Ready has the next step.',
  },
  Suspended: {
    message: 'Reconciliation of this policy is suspended{untilEnd}.',
    next: 'Set spec.suspend to false to resume it{earlier}.',
    more: 'Ready is Unknown if the policy was suspended before its first complete list, or while a correction or a failed list was open.',
  },
  DeactivationDenied: {
    message: '{Alerts}: declared Inactive, but {connection} does not allow deactivation{denyingCause}.',
    next: 'Ask the owner of the connection to {denyingFix}, or declare the state Active.',
  },
  DismissalTooLong: {
    message:
      '{Alerts}: not deactivated, because the dismissal lists no incidents and ends later than limits.maxDismissal of {connection} allows.',
    next: 'Set an earlier `until`, or list the covered incidents in `incidents`.',
  },
  DismissalIncomplete: {
    message:
      '{Alerts}: not deactivated, because the dismissal lacks a reason of at least 8 non-blank characters, or lacks both `until` and `incidents`.',
    next: 'Complete the dismissal, or declare the state Active.',
    more: 'The dismissal is older than this rule of the schema.',
  },
  LedgerFull: {
    message: '{Alerts}: not deactivated, because {connection} has as many dismissals as it can record.',
    next: 'End dismissals that are no longer needed; status.dismissals of the connection lists them.',
  },
  CRDOutdated: {
    message:
      '{Alerts}: not deactivated, because the API server does not store dismissedAt: its CRDs are older than the operator.',
    next: "Apply the CRDs of the operator's version; a new value of the annotation rolealerts.dev/requestedAt then makes it try again at once.",
    more: '`status.alerts.dismissedAt` is the copy of the ledger that outlives the connection. The operator also tries again by itself, within an hour or at the next interval.',
  },
  Flapping: {
    message: '{Alerts}: active, although deactivated as often as spec.damping allows; further deactivations wait.',
    next: 'Find out which client activates the alert (lastDrift in status.alerts). A new value of the annotation rolealerts.dev/requestedAt allows one more deactivation.',
  },
  DeactivationLimited: {
    message: '{Alerts}: the deactivation waits, because {connection} has reached its limits.deactivationsPerHour.',
    next: 'Wait up to one hour, or raise the limit. A limit of 0 allows no deactivation.',
  },
  WaitingForWindow: {
    message: '{Alerts}: the deactivation waits, because correction windows are closed{opening}.',
    next: 'No action is needed. To deactivate earlier, change spec.correctionWindows of the policy or of {connection}.',
    more: 'Correction windows hold deactivations only; an alert that is inactive stays so. Without a time in the message, they change too often to predict it.',
  },
  OutsideWindow: {
    message:
      '{Alerts}: the live state differs from the desired state, and correction windows hold the deactivation{opening}.',
    next: 'Compare `want` and `live` in status.alerts.',
    more: 'The condition Ready has the next step.',
  },
  NoWindowAhead: {
    message:
      '{Alerts}: not deactivated, because the correction windows of the policy and of {connection} do not open together in the next two weeks.',
    next: 'Change spec.correctionWindows of one of them.',
  },
  WindowInvalid: {
    message: '{Alerts}: not deactivated, because {window} is not valid.',
    next: 'Correct it, or remove the window.',
    more: 'A stored window is older than this rule of the schema, or its time zone is missing in the time zone database of the operator.',
  },
  WaitingForClaims: {
    message:
      '{Alerts}: the deactivation waits, because a policy of another connection to the same service declares Active, and that connection has not listed the scope yet.',
    next: 'No action is needed: the wait ends after 15 minutes at the latest.',
    more: 'It ends at once when the other connection has listed the scope or was refused.',
  },
  WaitingForOwner: {
    message:
      '{Alerts}: the live state differs from the desired state, and a policy of another connection owns the correction.',
    next: 'No action is needed: this connection corrects it if the other one does not within 30 seconds.',
  },
  CorrectionUndone: {
    message: '{Alerts}: another client keeps undoing the activation; the operator repeats it with increasing delay.',
    next: 'Find out which client deactivates the alert (lastDrift in status.alerts).',
    more: 'The operator repeats the activation indefinitely, at most one interval apart.',
  },
  ScopeConflict: {
    message: '{Alerts}: owned by {owners}, and declared in the opposite state there.',
    next: 'Change one of the policies.',
    more: 'Within a connection a declaration in `alerts` beats `unlisted`, then Active beats Inactive, then the oldest policy wins. Across connections Active wins.',
  },
  ConnectionNotFound: {
    message: '{Connection} does not exist, or no operator serves it.',
    next: 'Create it{inNamespace}, or create the policy again with the right spec.connectionRef. If it exists, compare its labels with --connection-selector of the operator.',
    more: 'With RoleBindings only, the operator cannot list ClusterRoleAlertConnections, and a connection that an older schema stored may be unreadable; its log names both.',
  },
  AccessDenied: {
    message: '{Connection} grants nothing {asked}; the operator sends no request for this policy.',
    next: 'Ask the owner of the connection for an entry in spec.access with the scope and the labels of the namespace.',
    more: 'The message never shows what other namespaces may do. A namespace that is being deleted has no access.',
  },
  ModeNotGranted: {
    message: '{Connection} grants only Observe {asked}: drift is reported and not corrected.',
    next: 'Ask the owner of the connection for an entry in spec.access with maxMode Enforce, or set spec.mode to Observe.',
    more: '`status.effective.mode` is Observe. InSync shows whether anything differs.',
  },
  GuardDenied: {
    message: '{Connection} does not grant spec.unlisted {asked}: unlisted alerts are not guarded.',
    next: 'Ask its owner for an access entry with unlisted Allow, or set spec.unlisted.state to Ignore.',
    more: 'The entry must cover the mode of the policy as well. The alerts that the policy lists are not affected.',
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
    next: 'Check the spelling of spec.scope, or delete the policy if the scope is gone.',
  },
  AlertNotFound: {
    message: '{Alerts}: not listed by the service for {scope}.',
    next: 'Check the spelling in spec.alerts, or remove the entry.',
    more: '`status.summary.unmanagedCount` counts the alerts of the scope that the policy does not name.',
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
    message: '{AlertsOrScope}: the service at {endpoint} did not answer or failed; the operator retries.',
    next: 'Check the network, DNS and the service.',
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
    more: 'It is a finding, not a failure of the operator.',
  },
  NoIncidents: { message: 'No declared alert is active with incidents.' },
  ScanningDisabled: {
    message: '{Alerts}: scanning is disabled, so the service finds no new incidents.',
    next: 'Have the scan enabled in the service (isEnabled of the alert configuration).',
  },
} as const satisfies Readonly<Record<string, ReasonText>>;
