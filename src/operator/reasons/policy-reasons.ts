// The reasons of a policy's conditions and events, each with its sentences.

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
    next: 'Set spec.suspend to false to resume it{earlier}.',
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
      '{Alerts}: not deactivated, because the correction windows of the policy and of {connection} do not open together in the next two weeks.',
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
    message: '{Alerts}: owned by {owners}, and declared in the opposite state there.',
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
    next: 'Check the spelling of spec.scope, or delete the policy if the scope is gone.',
  },
  AlertNotFound: {
    message: '{Alerts}: not listed by the service for {scope}.',
    next: 'Check the spelling in spec.alerts, or remove the entry.',
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
  },
  NoIncidents: { message: 'No declared alert is active with incidents.' },
  ScanningDisabled: {
    message: '{Alerts}: scanning is disabled, so the service finds no new incidents.',
    next: 'Have the scan enabled in the service (isEnabled of the alert configuration).',
  },
} as const satisfies Readonly<Record<string, ReasonText>>;
