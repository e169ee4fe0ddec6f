// Every reason of a condition, once, with its sentence. The sentences are fixed, so that looking again writes nothing; what
// the service said in its own words goes to the log and to events.

/** Reasons of a policy's conditions. */
export const policyReasons = {
  Progressing: 'The policy has not been looked at yet.',
  Succeeded: 'Every declared alert is as declared.',
  InSync: 'Every declared alert is as declared.',
  VerifyingWrite: 'A correction was sent and the list does not show it yet; looking again soon.',
  WriteNotVerified: 'A correction was accepted, but the list did not show it in time; it will be repeated.',
  RetryingWrite: 'A correction will be repeated.',
  Observed: 'The scope was looked at; drift is only reported, because the policy observes or the operator is read-only.',
  ObserveOnly: 'At least one alert differs from what is declared, and nothing may be corrected.',
  Suspended: 'The policy is suspended; nothing is looked at or corrected for it.',
  DeactivationDenied: 'An alert is declared Inactive, but the connection does not allow deactivation (spec.deactivation is Deny).',
  DismissalTooLong: "A dismissal that only `until` bounds ends later than the connection's limits.maxDismissal allows.",
  LedgerFull: 'The connection has as many dismissals as it can record; end some before dismissing more.',
  ScopeConflict: 'Another policy owns an alert of this scope and wants the opposite; see the events for its name.',
  ConnectionNotFound: 'The connection that spec.connectionRef names does not exist in this namespace.',
  ConnectionNotReady: 'The connection cannot be used now; see its own status.',
  ScopeRejected: 'The service refuses to list the alerts of this scope.',
  ScopeForbidden: "The connection's identity may not list the alerts of this scope.",
  ScopeNotFound: 'The service does not know this scope.',
  AlertNotFound: 'An alert is declared Active, but the service does not list it for this scope.',
  CorrectionFailed: 'The service refused a correction; the other alerts are not affected.',
  ProtocolError: 'The service answered with something that cannot be trusted to be a list of alerts; nothing was changed.',
  ListTooLarge: "The list of alerts exceeds the connection's limits.maxPages or limits.maxPageBytes; nothing was changed.",
  UnsafeNextLink: 'The service answered with a next page at another place, which is not followed; nothing was changed.',
  ServiceUnreachable: 'The service cannot be reached or fails; trying again.',
  Stale: 'The scope could not be looked at for three intervals.',
  InternalError: 'The operator failed on this policy; its log has the details.',
  IncidentsFound: 'At least one active alert has incidents.',
  NoIncidents: 'No active alert has incidents.',
  Scanning: 'Every alert that must be active is scanned.',
  ScanningDisabled: 'An alert that must be active is not scanned by the service, so it cannot find new incidents.',
} as const;

/** Reasons of a connection's Ready condition, and of a policy's ConnectionReady. */
export const connectionReasons = {
  Connected: 'The service answers.',
  SecretNotFound: 'The Secret or its key does not exist, or its value cannot be used as a credential.',
  SecretNotAllowed: 'The Secret does not carry the label rolealerts.dev/credential: "true".',
  Unauthorized: 'The service refuses the credential.',
  TokenEndpointFailed: 'The token endpoint gives no token.',
  TLSFailed: 'No trusted TLS connection to the service can be made.',
  Unreachable: 'The service cannot be reached or fails.',
  Throttled: 'The service asked to wait, so the whole connection waits.',
  InvalidEndpoint: 'The address of the service is not one that the operator may use.',
  ConnectionNotFound: policyReasons.ConnectionNotFound,
} as const;

export type PolicyReason = keyof typeof policyReasons;
export type ConnectionReason = keyof typeof connectionReasons;
export type Reason = PolicyReason | ConnectionReason;

/** The sentence of a reason, with the service's `error.code` behind it where there is one. */
export function messageOf(reason: Reason, serviceCode?: string): string {
  const sentences: Readonly<Record<Reason, string>> = { ...policyReasons, ...connectionReasons };
  return serviceCode === undefined ? sentences[reason] : `${sentences[reason]} The service's code: ${serviceCode}.`;
}
