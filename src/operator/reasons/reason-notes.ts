// What only the runbook and `rolealerts trace REASON` add to the sentences of a reason. The operator does not load it.
import { fillIn } from './message-facts.ts';
import { type Reason, type ReasonText, reasonTexts } from './reasons.ts';

const unreachedNote = '`rolealerts doctor` checks the way to the service.';

const notes: Partial<Readonly<Record<Reason, string>>> = {
  Pending:
    'Nothing for the first minutes: the first lists wait for the rate limiter. If it remains, check that the operator runs and watches the namespace. A connection without policies stays Pending.',
  ObserveOnly: 'The condition Ready has the next step.',
  Suspended: 'The later of the last transitions of Ready and InSync shows since when.',
  DismissalIncomplete: 'The dismissal is older than this rule of the schema.',
  DeactivationLimited: 'Of a ClusterRoleAlertConnection, a namespace uses at most as many as it leaves to others.',
  WaitingForWindow:
    'Correction windows hold deactivations only; an alert that is inactive stays so. Without a time in the message, they change too often to predict it.',
  OutsideWindow: 'The condition Ready has the next step.',
  NoWindowAhead: 'The operator searches the year ahead, or at least the next two weeks when windows change often.',
  WindowInvalid:
    'A stored window is older than this rule of the schema, or its time zone is missing in the time zone database of the operator.',
  CorrectionUndone: 'The operator repeats the activation indefinitely, at most one interval apart.',
  ScopeConflict:
    'Within a connection a declaration in `alerts` beats `unlisted`, then Active beats Inactive, then the oldest policy wins. Another connection is any other client: its writes are drift.',
  ConnectionNotFound:
    'With RoleBindings only, the operator cannot list ClusterRoleAlertConnections, and a connection that an older schema stored may be unreadable; its log names both.',
  AccessDenied:
    'The message never shows what other namespaces may do. A namespace that is being deleted has no access.',
  ModeNotGranted: '`status.effective.mode` is Observe. InSync shows whether anything differs.',
  GuardDenied:
    'The entry must cover the mode of the policy as well. The alerts that the policy lists are not affected.',
  AlertNotFound: '`status.summary.unmanagedCount` counts the alerts of the scope that the policy does not name.',
  ServiceUnreachable: unreachedNote,
  Unreachable: unreachedNote,
  CircuitOpen: unreachedNote,
  IncidentsFound: 'It is a finding, not a failure of the operator.',
  SecretInvalid: 'A token is one line of at most 16384 visible ASCII characters. The event has the exact cause.',
  SecretNotAllowed: 'If it has the label, check the role of the operator.',
  AudienceNotAllowed:
    'The operator knows the issuer of the cluster, the audiences of its own token, and those of `--api-audiences`.',
  TokenRequestFailed:
    'The operator also needs the ClusterRole `system:service-account-issuer-discovery`, which Kubernetes binds to all ServiceAccounts.',
  InvalidEndpoint: 'The event has the exact cause.',
  HostNotAllowed: 'The event has the host that is refused.',
  BudgetTooSmall: 'See [sizing](reference/sizing.md) for figures.',
};

/** What a reason means, in general words instead of names, the next step, and the note. */
export function explainReason(reason: Reason): ReasonText & { readonly more?: string } {
  const { message, next }: ReasonText = reasonTexts[reason];
  const more = notes[reason];
  return {
    message: fillIn(message, {}),
    ...(next !== undefined && { next: fillIn(next, {}) }),
    ...(more !== undefined && { more }),
  };
}
