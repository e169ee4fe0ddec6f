// Made from crds/rolealerts.dev_rolealertpolicies.yaml by `npm run generate`. Change that file, never this one.

/**
 * Kind of the connection. RoleAlertConnection, the default, is the only one.
 */
export type ConnectionKind = 'RoleAlertConnection';
/**
 * Enforce corrects alerts that differ from what is declared. Observe only looks and reports the drift.
 * In both modes an alert that this operator turned off is turned on again when its dismissal stops
 * holding. Default Enforce.
 */
export type PolicyMode = 'Enforce' | 'Observe';
/**
 * Active: the alert must be on. Inactive: the alert is dismissed (off) while its dismissal holds, and
 * on again afterwards; needs dismissal, and a connection whose deactivation is Allow.
 */
export type DeclaredState = 'Active' | 'Inactive';
/**
 * Ignore leaves unlisted alerts alone. Active wants those of at least minSeverity active. There is no
 * Inactive: alerts are only dismissed one by one. Default Ignore.
 */
export type UnlistedState = 'Ignore' | 'Active';
/**
 * With state Active, the lowest severity that is meant: Low (all of them), Medium or High. An alert
 * whose severity is absent or unknown counts as High. Default Low.
 */
export type MinSeverity = 'Low' | 'Medium' | 'High';
/**
 * How much of an incident is shown. Summary, the default and the only level, shows its id, its type
 * and the type of its assignee, and names no person.
 */
export type IncidentDetail = 'Summary';

/**
 * What is wanted of the alerts of one scope.
 */
export interface RoleAlertPolicySpec {
  readonly connectionRef: ConnectionRef;
  /**
   * The resource whose alerts are meant, as a fully qualified resource identifier without a leading
   * slash, for example subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590. 1 to 512 characters; segments
   * of letters, digits, spaces and ". _ ( ) ~ -", divided by single slashes. Compared without regard to
   * case. Cannot be changed: for another scope, create another policy. Usable with --field-selector
   * spec.scope=….
   */
  readonly scope: string;
  readonly mode: PolicyMode;
  /**
   * True stops corrections for this policy, and with it the looks made for it. One thing goes on: an
   * alert that this operator turned off is turned on again when its dismissal stops holding. A policy
   * that is suspended before it was ever decided is not Ready. Default false.
   */
  readonly suspend: boolean;
  /**
   * How often to look at the scope, as a duration like 15m or 1h30m (units ms, s, m, h), from 5s to 24h.
   * Raised to the connection's limits.minInterval; status.effective.interval shows what is in force.
   * When unset, the operator's own interval holds, 15m unless it was started with another.
   */
  readonly interval?: string;
  /**
   * The declared alerts, each with the state it must have. Up to 64; names are unique regardless of
   * case. An alert that is not listed here is left alone unless unlisted says otherwise. When several
   * policies declare one alert of the scope, one of them owns it. Within one connection an alert that is
   * listed here beats one that another policy only guards (unlisted), then Active beats Inactive, then
   * the oldest policy wins. Across connections to the same service Active beats Inactive, a guard
   * included. A policy that loses and wants something else has the result Conflict.
   */
  readonly alerts?: readonly PolicyAlert[];
  readonly unlisted: UnlistedAlerts;
  readonly damping: Damping;
  readonly incidents: IncidentDisplay;
}
/**
 * The connection through which the service is reached, in the namespace of this policy. Cannot be
 * changed: to use another connection, delete the policy and create it again.
 */
export interface ConnectionRef {
  readonly kind: ConnectionKind;
  /**
   * Name of the connection in the namespace of this policy, up to 253 characters.
   */
  readonly name: string;
}
/**
 * One declared alert.
 */
export interface PolicyAlert {
  /**
   * Name of the alert as the service lists it, for example TooManyOwnersAssignedToResource. 1 to 256
   * letters, digits and ". _ ( ) ~ -". Compared without regard to case.
   */
  readonly name: string;
  readonly state: DeclaredState;
  readonly dismissal?: Dismissal;
}
/**
 * Why the alert may be off, and how far that goes. Required with state Inactive and only allowed
 * there. Needs a reason, and until unless incidents names what is covered; maxIncidents only narrows.
 * When a bound is exceeded the alert is turned on again by itself.
 */
export interface Dismissal {
  /**
   * Why this alert may be off, for the people who review it later; a ticket is a good reason. 8 to 1024
   * characters, of which at least 8 are not blank.
   */
  readonly reason: string;
  /**
   * Ids of the incidents that are known and accepted, 1 to 64 of up to 256 characters, compared without
   * regard to case. An incident with another id ends the dismissal, and so does a service that shows
   * fewer incidents than it counts. Not together with maxIncidents.
   */
  readonly incidents?: readonly string[];
  /**
   * How many incidents are accepted, whichever they are: 0 to 100000. One more ends the dismissal before
   * until does. Only narrows: needs until. Not together with incidents.
   */
  readonly maxIncidents?: number;
  /**
   * When the dismissal ends, as an RFC 3339 time with a zone, for example 2026-12-24T00:00:00Z. Required
   * unless incidents names what is covered. Without incidents it covers new incidents too, and may be at
   * most the connection's limits.maxDismissal ahead, measured at each decision.
   */
  readonly until?: string;
}
/**
 * What is wanted of the alerts of the scope that alerts does not list. A guard (state Active) loses an
 * alert to a policy of the same connection that dismisses it explicitly, and beats a dismissal that is
 * made through another connection; see alerts.
 */
export interface UnlistedAlerts {
  readonly state: UnlistedState;
  readonly minSeverity: MinSeverity;
}
/**
 * How often an alert may be turned off again that somebody else keeps turning on. Turning on is never
 * held.
 */
export interface Damping {
  /**
   * How many deactivations of one alert this policy may send within the window, 1 to 100, whatever comes
   * of them. Beyond that they are held with the reason Flapping until the window ends; a change of the
   * spec and a new rolealerts.dev/requestedAt let one through each. Default 3.
   */
  readonly maxDeactivations: number;
  /**
   * How long is counted, from the first time on, as a duration from 1m to 168h. Default 6h.
   */
  readonly window: string;
}
/**
 * How the incidents of the alerts are shown in the status.
 */
export interface IncidentDisplay {
  readonly detail: IncidentDetail;
  /**
   * How many incidents of each alert are shown as a sample, 0 to 50, in the service's order. The totals
   * are exact whatever the limit. Fewer are shown when the status would grow beyond 64 KiB. Default 10.
   */
  readonly limit: number;
}
/**
 * True, False or Unknown.
 */
export type ConditionStatus = 'True' | 'False' | 'Unknown';
/**
 * The side that is wanted: Active, Inactive, or None when this policy says nothing about the alert.
 * Active for an alert declared Inactive means that its dismissal does not hold.
 */
export type AlertWant = 'Active' | 'Inactive' | 'None';
/**
 * The side that was seen, or Missing when the service does not list the alert.
 */
export type AlertLive = 'Active' | 'Inactive' | 'Missing';
/**
 * Firing: active with incidents. Armed: active without. Dismissed: inactive with incidents. Quiet:
 * inactive without. Missing: not listed.
 */
export type AlertState = 'Firing' | 'Armed' | 'Dismissed' | 'Quiet' | 'Missing';
/**
 * What came of it. InSync: live is as wanted. Drifted: it is not, and nothing may be written (Observe,
 * or a read-only operator), or another connection corrects it. Pending: a correction was sent and is
 * not seen yet. Held: a correction waits. Denied: the connection does not allow it, or cannot record
 * it, or the dismissal is incomplete or too long. Conflict: another policy owns the alert and wants
 * the opposite. Missing: declared Active and not listed. Failed: the correction was refused.
 * Unmanaged: nothing is wanted.
 */
export type AlertResult =
  'InSync' | 'Drifted' | 'Pending' | 'Held' | 'Denied' | 'Conflict' | 'Missing' | 'Failed' | 'Unmanaged';
/**
 * Whether the service scans for new incidents of the alert: Enabled, Disabled, or Unknown when it does
 * not say.
 */
export type AlertScanning = 'Enabled' | 'Disabled' | 'Unknown';
/**
 * What kind of actor probably did it, inferred from the alert's times and systemData. Scan: a scan of
 * the service. Self: this operator. Never an identity.
 */
export type DriftActor = 'Self' | 'Scan' | 'User' | 'Application' | 'ManagedIdentity' | 'Key' | 'Unknown';
/**
 * What was done to the alert.
 */
export type DriftDirection = 'Activated' | 'Deactivated';
/**
 * Activated: turned on. Deactivated: turned off.
 */
export type CorrectionDirection = 'Activated' | 'Deactivated';

/**
 * What the operator saw and did. It is replaced as a whole, and only when something changed.
 */
export interface RoleAlertPolicyStatus {
  /**
   * The metadata.generation that was decided last. Anything below metadata.generation means that the
   * status speaks of an older spec; -1 means that nothing was decided yet.
   */
  readonly observedGeneration: number;
  /**
   * The value of the annotation rolealerts.dev/requestedAt that was acted on last. Set that annotation
   * to a new value to ask for a look now. While the service cannot be asked, the request waits.
   */
  readonly lastHandledReconcileAt?: string;
  readonly effective?: EffectiveSettings;
  /**
   * Ready, InSync, ConnectionReady, IncidentsOpen, Coverage, and Reconciling or Stalled while they are
   * True. For a script, wait for Ready: kubectl wait --for=condition=Ready.
   */
  readonly conditions?: readonly Condition[];
  readonly summary?: PolicySummary;
  /**
   * Each alert of the scope that was seen or declared, sorted by name; up to 128. Rows that damping
   * needs stay first.
   */
  readonly alerts?: readonly AlertStatus[];
  /**
   * The last corrections that were sent for this policy and then seen, newest first; up to 8. Equal ones
   * in a row are one entry with a count. The end of a dismissal is not among them when the policy is
   * suspended, observes or is not granted by then; an event of the connection reports it.
   */
  readonly history?: readonly CorrectionRecord[];
}
/**
 * What is in force after defaults and the connection's limits.
 */
export interface EffectiveSettings {
  /**
   * The mode in force. Observe although Enforce was declared means a read-only operator.
   */
  readonly mode: PolicyMode;
  /**
   * The interval in force, for example 15m0s.
   */
  readonly interval: string;
  /**
   * The scope in its canonical form, by which policies of one scope are recognised.
   */
  readonly scope: string;
}
/**
 * One aspect of the state, as in every Kubernetes API.
 */
export interface Condition {
  /**
   * Name of the condition in CamelCase.
   */
  readonly type: string;
  readonly status: ConditionStatus;
  /**
   * The metadata.generation that this condition speaks of.
   */
  readonly observedGeneration?: number;
  /**
   * When status changed last, in UTC.
   */
  readonly lastTransitionTime: string;
  /**
   * Why, in one CamelCase word made for programs.
   */
  readonly reason: string;
  /**
   * Why, in a sentence made for people. May be empty.
   */
  readonly message: string;
}
/**
 * Counts over alerts.
 */
export interface PolicySummary {
  /**
   * Alerts that this policy declares something about, the unlisted ones it guards included.
   */
  readonly declared: number;
  /**
   * Declared alerts that are as declared.
   */
  readonly inSync: number;
  /**
   * Declared alerts that are not as declared.
   */
  readonly drifted: number;
  /**
   * Declared alerts that the service does not list.
   */
  readonly missing: number;
  /**
   * Alerts that this policy declares Inactive and that are off.
   */
  readonly dismissed: number;
  /**
   * Incidents of the declared alerts, the unlisted ones it guards included.
   */
  readonly incidents: number;
  /**
   * inSync and declared as kubectl get shows them, for example 2/3.
   */
  readonly inSyncText: string;
}
/**
 * One alert as it was seen last.
 */
export interface AlertStatus {
  /**
   * Name of the alert as the service spells it, or as declared when the service does not list it.
   */
  readonly name: string;
  readonly want: AlertWant;
  readonly live: AlertLive;
  readonly state: AlertState;
  readonly result: AlertResult;
  /**
   * Severity as the service states it, usually Low, Medium or High. Absent when it states none.
   */
  readonly severity?: string;
  readonly scanning: AlertScanning;
  /**
   * When the last correction for this policy was seen to have taken, in UTC. Absent when none was made.
   */
  readonly verifiedAt?: string;
  readonly lastDrift?: LastDrift;
  readonly deactivations?: DeactivationCount;
  readonly incidents: IncidentStatus;
}
/**
 * The last time that the alert was found other than declared. Absent when it never was.
 */
export interface LastDrift {
  /**
   * When it was found, in UTC.
   */
  readonly at: string;
  readonly actorClass: DriftActor;
  readonly direction: DriftDirection;
}
/**
 * How many deactivations of the alert this policy sent in the last window of damping. Absent when it
 * never did.
 */
export interface DeactivationCount {
  /**
   * When the window began, in UTC.
   */
  readonly windowStart: string;
  /**
   * How often.
   */
  readonly count: number;
}
/**
 * The incidents of the alert.
 */
export interface IncidentStatus {
  /**
   * How many there are; exact whatever is shown of them.
   */
  readonly total: number;
  /**
   * How many there are of each type, most frequent first; beyond eight types the rest is "other".
   */
  readonly byType?: readonly IncidentTypeCount[];
  /**
   * The first incidents in the service's order, up to spec.incidents.limit.
   */
  readonly sample?: readonly IncidentSample[];
  /**
   * True when sample holds fewer incidents than total. Absent otherwise.
   */
  readonly truncated?: boolean;
}
/**
 * How many incidents there are of one type.
 */
export interface IncidentTypeCount {
  /**
   * Incident type as the service states it, or "other".
   */
  readonly type: string;
  /**
   * How many incidents are of this type.
   */
  readonly count: number;
}
/**
 * One incident, without the names of people.
 */
export interface IncidentSample {
  /**
   * Incident id, as dismissal.incidents takes it.
   */
  readonly id: string;
  /**
   * Incident type as the service states it.
   */
  readonly type: string;
  /**
   * What kind of identity it is about, for example User. Absent when the service does not say.
   */
  readonly assigneeType?: string;
}
/**
 * One correction, or several equal ones in a row.
 */
export interface CorrectionRecord {
  /**
   * When it was seen to have taken, in UTC; with a count, the last time.
   */
  readonly at: string;
  /**
   * Name of the alert.
   */
  readonly alert: string;
  readonly direction: CorrectionDirection;
  /**
   * Why it was sent, in one CamelCase word: for example Drift when it differed from what is declared,
   * DismissalExpired or NewIncidents when a dismissal stopped holding.
   */
  readonly reason: string;
  /**
   * How many equal corrections this entry stands for.
   */
  readonly count: number;
}
