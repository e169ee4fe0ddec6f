// The reasons of a policy's conditions and events, each with its sentence.

/** Reasons of a policy's conditions. */
export const policyReasons = {
  // The default of both schemas (`pendingStatus`); the operator never writes it.
  Pending: {
    message: 'Waiting for the operator.',
    advice:
      'Nothing for the first minutes: the first lists wait for the rate limiter. If it remains, check that the operator runs and watches the namespace. A connection without policies stays Pending.',
  },
  Progressing: {
    message: 'An alert differs from its desired state; its correction is planned but not sent yet.',
    advice: 'Nothing; the operator sends the correction as soon as the rate limiter allows.',
  },
  Succeeded: {
    message: 'Every declared alert has its desired state.',
    advice: 'Nothing.',
  },
  InSync: {
    message: 'The live state matches the spec.',
    advice: 'Nothing.',
  },
  VerifyingWrite: {
    message: 'A correction was sent; the list does not show it yet.',
    advice: 'Nothing; the scope is listed again after 1, 2, 4, 8 … seconds.',
  },
  WriteNotVerified: {
    message: 'A correction was accepted, but the list did not show it in time; it will be repeated.',
    advice: "Ask the service's owner why an accepted change has no effect; another client may undo it.",
  },
  RetryingWrite: {
    message: 'A correction will be repeated.',
    advice: 'As for WriteNotVerified.',
  },
  Observed: {
    message: 'Drift is reported and not corrected, because the policy is in Observe mode or the operator is read-only.',
    advice: 'Nothing, or set `mode: Enforce` to have drift corrected.',
  },
  ObserveOnly: {
    message: 'At least one alert differs from its desired state and is not corrected in this mode.',
    advice: 'See `status.alerts` for the difference; set `mode: Enforce` to have it corrected.',
  },
  Suspended: {
    message: 'Reconciliation of this policy is suspended.',
    advice:
      'Set `suspend: false` to resume. Ready is Unknown if the policy was suspended before its first complete list, or while a correction or a failed list was open.',
  },
  DeactivationDenied: {
    message:
      'An alert is declared Inactive, but the connection does not allow deactivation (spec.deactivation is Deny).',
    advice: 'Ask the owner of the connection for `deactivation: Allow`, or declare the alert Active.',
  },
  DismissalTooLong: {
    message: "A dismissal that names no incidents ends later than the connection's limits.maxDismissal allows.",
    advice: 'Bring `until` nearer, or bound the dismissal by `incidents`.',
  },
  DismissalIncomplete: {
    message:
      'A dismissal lacks what the schema now requires: a reason of at least 8 non-blank characters, and `until` unless `incidents` lists the covered incidents.',
    advice: 'Complete the dismissal, or declare the alert Active. The dismissal is older than this rule of the schema.',
  },
  LedgerFull: {
    message: 'The connection has as many dismissals as it can record; end some before dismissing more.',
    advice: 'End dismissals that are no longer needed; `status.dismissals` of the connection lists them.',
  },
  Flapping: {
    message:
      'The operator has deactivated an alert as often as spec.damping allows, and the alert is active; further deactivations wait.',
    advice:
      'Find out what activates it (`status.alerts[].lastDrift`). A change of the spec or a new rolealerts.dev/requestedAt allows one more deactivation.',
  },
  DeactivationLimited: {
    message: "A deactivation waits, because the connection's limits.deactivationsPerHour is reached.",
    advice:
      'Nothing; the operator sends it within the hour, unless the limit is 0. To send more, raise the limit of the connection.',
  },
  WaitingForClaims: {
    message:
      'A deactivation waits, because a policy of another connection to the same service wants the alert active, and that connection has not listed the scope yet.',
    advice:
      'Nothing; the wait ends when the other connection has listed the scope or was refused, after 15 minutes at the latest.',
  },
  WaitingForOwner: {
    message:
      'An alert differs from its desired state; a policy of another connection owns the alert, and that connection corrects it.',
    advice: 'Nothing; if the other connection does not correct it within 30 seconds, this one does.',
  },
  CorrectionUndone: {
    message:
      'Another client deactivated an alert that the operator had activated; the operator repeats the activation with increasing delay.',
    advice:
      'Find out what deactivates it (`status.alerts[].lastDrift`); the operator repeats the activation indefinitely, at most one interval apart.',
  },
  ScopeConflict: {
    message: 'Another policy owns an alert of this scope and declares the opposite; an event names that policy.',
    advice:
      'The event in `kubectl describe` names the other policy. Once the event has expired, `kubectl get rolealertpolicies -A -o wide` shows the scope of each policy. Change one of the two.',
  },
  ConnectionNotFound: {
    message: 'The connection that spec.connectionRef names does not exist in this namespace.',
    advice: 'Create the connection in the namespace of the policy, or correct the name in a new policy.',
  },
  ConnectionNotReady: {
    message: 'The connection is not ready; see its status.',
    advice: '`kubectl describe rolealertconnection` shows the cause.',
  },
  ScopeRejected: {
    message: 'The service rejects the request to list the alerts of this scope.',
    advice: "Check `spec.scope`; the log has the service's message.",
  },
  ScopeForbidden: {
    message: "The connection's identity may not list the alerts of this scope.",
    advice: 'Grant the identity of the connection access to the scope; a new grant can take minutes.',
  },
  ScopeNotFound: {
    message: 'The service does not know this scope.',
    advice: 'Check `spec.scope` for typos; delete the policy if the scope is gone.',
  },
  AlertNotFound: {
    message: 'An alert is declared Active, but the service does not list it for this scope.',
    advice:
      'Check the name against the alerts that the service lists for the scope; `status.summary.unmanagedCount` counts those that the policy does not name.',
  },
  CorrectionFailed: {
    message: 'The service refused a correction; the other alerts are not affected.',
    advice: 'Grant the identity of the connection the right to update alerts; `status.alerts` shows which one failed.',
  },
  ProtocolError: {
    message: 'The response is not a valid list of alerts; nothing was changed.',
    advice: 'Check that `endpoint.baseURL` is the service and not a proxy or a login page.',
  },
  ListTooLarge: {
    message:
      "The list of alerts exceeds the connection's limits.maxPages or limits.maxPageBytes, or 5000 alerts; nothing was changed.",
    advice: 'Raise `limits.maxPages` or `limits.maxPageBytes` of the connection if such a list is expected.',
  },
  UnsafeNextLink: {
    message: 'The nextLink leads to another origin or path and is not followed; nothing was changed.',
    advice: 'Check `endpoint.baseURL`; a service behind a proxy must name its public address in links.',
  },
  ServiceUnreachable: {
    message: 'The service is unreachable or failing; retrying automatically.',
    advice: 'Check network, DNS and the service; the operator retries automatically.',
  },
  Stale: {
    message: 'No successful list of this scope for three intervals.',
    advice: 'See the connection: the service has throttled it for more than three intervals.',
  },
  InternalError: {
    message: 'The operator failed on this policy; its log has the details.',
    advice: 'Report it with the log lines of that moment.',
  },
  IncidentsFound: {
    message: 'At least one declared alert is active and has incidents.',
    advice: 'Handle the incidents; it is a finding, not a failure of the operator.',
  },
  NoIncidents: {
    message: 'No declared alert is active with incidents.',
    advice: 'Nothing.',
  },
  Scanning: {
    message: 'Scanning is not disabled for any alert that must be active.',
    advice: 'Nothing.',
  },
  ScanningDisabled: {
    message: 'Scanning is disabled for an alert that must be active, so the service finds no new incidents for it.',
    advice: 'Have the scan of that alert enabled in the service (`isEnabled` of its configuration).',
  },
} as const;
