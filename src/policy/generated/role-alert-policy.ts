// Made from crds/rolealerts.dev_rolealertpolicies.yaml by `npm run generate`. Change that file, never this one.

/**
 * Kind of the connection, RoleAlertConnection or ClusterRoleAlertConnection. Default
 * RoleAlertConnection.
 */
export type ConnectionKind = 'RoleAlertConnection' | 'ClusterRoleAlertConnection';
/**
 * Enforce corrects alerts that differ from their desired state. Observe only lists and reports the
 * drift. In both modes the operator activates an alert that it deactivated when the dismissal is no
 * longer in force. Default Enforce.
 */
export type PolicyMode = 'Enforce' | 'Observe';
/**
 * Active: the alert must be active. Inactive: the alert is dismissed (deactivated) while its dismissal
 * is in force, and activated again afterwards. Inactive requires dismissal, and a connection whose
 * deactivation is Allow.
 */
export type DeclaredState = 'Active' | 'Inactive';
/**
 * Ignore does not change unlisted alerts. Active requires those of at least minSeverity to be active.
 * There is no Inactive: each dismissal names its alert. Default Ignore.
 */
export type UnlistedState = 'Ignore' | 'Active';
/**
 * With state Active, the lowest severity to include: Low (all alerts), Medium or High. An alert whose
 * severity is absent or unknown counts as High. Default Low.
 */
export type MinSeverity = 'Low' | 'Medium' | 'High';
/**
 * Deny: the operator sends no deactivation within the window. Allow: it sends deactivations only
 * within this window or another Allow. Deny beats Allow.
 */
export type CorrectionWindowKind = 'Allow' | 'Deny';

/**
 * The desired state of the alerts of one scope.
 */
export interface RoleAlertPolicySpec {
  readonly connectionRef: ConnectionRef;
  /**
   * The resource that the policy applies to, as a fully qualified resource identifier without a leading
   * slash, for example subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590. 1 to 512 characters: segments
   * of letters, digits, spaces and ". _ ( ) ~ -", separated by single slashes. Case-insensitive.
   * Immutable: for another scope, create another policy. Can be selected with --field-selector
   * spec.scope=….
   */
  readonly scope: string;
  readonly mode: PolicyMode;
  /**
   * True suspends reconciliation of this policy, until suspendUntil if set: the operator neither lists
   * nor corrects alerts for it. One exception: the operator still activates an alert that it deactivated
   * when the dismissal is no longer in force. A policy that is suspended before its first reconcile, or
   * while a correction is open, is not Ready. Default false.
   */
  readonly suspend: boolean;
  /**
   * When the suspension ends by itself, as an RFC 3339 time with a zone, for example
   * 2026-12-24T00:00:00Z. Only with suspend: true. From then on the operator reconciles the policy as if
   * suspend were false, also when the time is already past; the event SuspensionEnded reports it. If
   * unset, the suspension has no end.
   */
  readonly suspendUntil?: string;
  /**
   * Time between two periodic reconciles of the scope, as a duration like 15m or 1h30m (units ms, s, m,
   * h), from 5s to 24h. A shorter interval is raised to the connection's limits.minInterval;
   * status.effective.interval shows the interval in force. If unset, the operator's --interval applies,
   * 15m by default.
   */
  readonly interval?: string;
  /**
   * The declared alerts, each with its desired state. Up to 64; names are unique regardless of case. The
   * operator does not change alerts that are not declared here, unless unlisted requires it. When
   * several policies declare one alert of the scope, one of them owns it. Within one connection an alert
   * that is declared here beats one that another policy only guards (unlisted), then Active beats
   * Inactive, then the oldest policy wins. A policy that loses and declares the opposite has the result
   * Conflict. Policies of other connections have no say: what they cause is drift by another client.
   */
  readonly alerts?: readonly PolicyAlert[];
  readonly unlisted: UnlistedAlerts;
  /**
   * When the operator may send the deactivations that this policy declares, up to 4 windows. The
   * correctionWindows of its connection must be open as well. Outside the windows a deactivation waits
   * with the reason WaitingForWindow; lists, activations and ends of dismissals never wait, and an alert
   * that is inactive stays so. If unset, always.
   */
  readonly correctionWindows?: readonly CorrectionWindow[];
  readonly damping: Damping;
  readonly incidents: IncidentDisplay;
}
/**
 * The connection through which the operator reaches the service: a RoleAlertConnection in the
 * namespace of this policy, or a ClusterRoleAlertConnection that grants access to the namespace.
 * Immutable: to use another connection, delete the policy and create it again.
 */
export interface ConnectionRef {
  readonly kind: ConnectionKind;
  /**
   * Name of the connection, up to 253 characters.
   */
  readonly name: string;
}
/**
 * One declared alert.
 */
export interface PolicyAlert {
  /**
   * Name of the alert as the service lists it, for example TooManyOwnersAssignedToResource. 1 to 256
   * letters, digits and ". _ ( ) ~ -". Case-insensitive.
   */
  readonly name: string;
  readonly state: DeclaredState;
  readonly dismissal?: Dismissal;
}
/**
 * Why the alert may be inactive, and the bounds. Required with state Inactive and only allowed there.
 * Requires a reason, and also until unless incidents is set; maxIncidents is an additional bound. When
 * a bound is exceeded, the operator activates the alert again.
 */
export interface Dismissal {
  /**
   * Why this alert may be inactive, for later reviews, for example a ticket. 8 to 1024 characters, of
   * which at least 8 are not blank, without control characters but tabs and line breaks.
   */
  readonly reason: string;
  /**
   * Ids of the incidents that are known and accepted, 1 to 64 of up to 256 characters, case-insensitive.
   * An incident with another id ends the dismissal, and so does an alert whose list of incidents is
   * shorter than its incident count. Not together with maxIncidents.
   */
  readonly incidents?: readonly string[];
  /**
   * Maximum number of accepted incidents, regardless of their ids, 0 to 100000. One more ends the
   * dismissal before until. Requires until. Not together with incidents.
   */
  readonly maxIncidents?: number;
  /**
   * When the dismissal ends, as an RFC 3339 time with a zone, for example 2026-12-24T00:00:00Z. Required
   * unless incidents is set, and always if the connection has limits.dismissalsNeedEnd. Without
   * incidents the dismissal also covers new incidents. Then, and with dismissalsNeedEnd, until may be at
   * most the connection's limits.maxDismissal ahead, measured at each reconcile.
   */
  readonly until?: string;
}
/**
 * The desired state of the alerts of the scope that alerts does not declare. A guard (state Active)
 * loses an alert to a policy of the same connection that dismisses it explicitly; see alerts.
 */
export interface UnlistedAlerts {
  readonly state: UnlistedState;
  readonly minSeverity: MinSeverity;
}
/**
 * One correction window. It begins when its schedule matches the clock of its time zone, and ends
 * after its duration.
 */
export interface CorrectionWindow {
  readonly kind: CorrectionWindowKind;
  /**
   * When the window begins, as five fields of cron with single spaces: minute, hour, day of month,
   * month, day of week; for example 0 8 * * 1-5 for 08:00 from Monday to Friday. A field holds * or
   * numbers, ranges (1-5), steps (* /15) and lists (1,15); JAN to DEC and SUN to SAT are numbers, and L
   * is the last day of the month. If day of month and day of week are both restricted, one of them
   * suffices. A time that the clock skips counts at the end of the skip, and a time that the clock
   * repeats counts once. Up to 128 characters.
   */
  readonly schedule: string;
  /**
   * How long the window lasts, as a duration from 5m to 168h.
   */
  readonly duration: string;
  /**
   * The time zone of the schedule, a name of the IANA time zone database, for example Europe/Berlin or
   * UTC. Up to 64 characters.
   */
  readonly timeZone: string;
}
/**
 * Limits on repeated deactivations of an alert that others keep activating. Activations are never
 * limited.
 */
export interface Damping {
  /**
   * Maximum number of deactivations of one alert within the window, 1 to 100, whether or not they
   * succeed and whichever policy of the connection declared them. The operator holds further ones with
   * the reason Flapping until the oldest of them is older than the window. Default 3.
   */
  readonly maxDeactivations: number;
  /**
   * Length of the window, which ends now, as a duration from 1m to 168h. Default 6h.
   */
  readonly window: string;
}
/**
 * How the status shows the incidents of the alerts. It names no person.
 */
export interface IncidentDisplay {
  /**
   * Maximum number of incident ids of each declared alert in the status, 0 to 50, sorted. The totals are
   * exact whatever the limit. The status holds fewer ids when it would exceed 64 KiB. Default 5.
   */
  readonly limit: number;
}
/**
 * True, False or Unknown.
 */
export type ConditionStatus = 'True' | 'False' | 'Unknown';
/**
 * The desired state. Active for an alert that is declared Inactive means that its dismissal is not in
 * force.
 */
export type AlertWant = 'Active' | 'Inactive';
/**
 * Why the declared dismissal is not in force. DismissalExpired: its end has passed. NewIncidents: the
 * alert has incidents beyond its bound. Absent without a declared dismissal and while it is in force.
 */
export type DismissalEnd = 'DismissalExpired' | 'NewIncidents';
/**
 * The live state, or Missing when the service does not list the alert.
 */
export type AlertLive = 'Active' | 'Inactive' | 'Missing';
/**
 * Firing: active with incidents. Armed: active without. Dismissed: inactive with incidents. Quiet:
 * inactive without. Missing: not listed.
 */
export type AlertState = 'Firing' | 'Armed' | 'Dismissed' | 'Quiet' | 'Missing';
/**
 * The result of the last reconcile. InSync: the live state is the desired state. Drifted: the states
 * differ, and a correction is planned but not sent yet, or this policy corrects nothing (Observe mode
 * or a read-only operator). Pending: a correction was sent and no list shows it yet. Held: a
 * correction waits. Denied: the connection does not allow or cannot record the deactivation, or the
 * dismissal is incomplete or too long. Conflict: another policy owns the alert and declares the
 * opposite. Missing: declared Active and not listed. Failed: the service refused the correction or
 * could not be reached, or no list showed the correction in time.
 */
export type AlertResult = 'InSync' | 'Drifted' | 'Pending' | 'Held' | 'Denied' | 'Conflict' | 'Missing' | 'Failed';
/**
 * Present when the service does not scan for new incidents of the alert: Disabled, or Unknown when it
 * does not report this.
 */
export type AlertScanning = 'Enabled' | 'Disabled' | 'Unknown';
/**
 * Kind of actor that probably caused the drift, inferred from the alert's times and systemData. Scan:
 * a scan of the service. Self: this operator. Never an identity.
 */
export type DriftActor = 'Self' | 'Scan' | 'User' | 'Application' | 'ManagedIdentity' | 'Key' | 'Unknown';
/**
 * Whether the actor activated or deactivated the alert.
 */
export type DriftDirection = 'Activated' | 'Deactivated';
/**
 * Whether the operator activated or deactivated the alert.
 */
export type CorrectionDirection = 'Activated' | 'Deactivated';

/**
 * What the operator observed and did. The operator replaces it as a whole, and only when something
 * changed.
 */
export interface RoleAlertPolicyStatus {
  /**
   * The metadata.generation of the spec that a reconcile last decided. A value below metadata.generation
   * means that no reconcile has decided the current spec yet, for example while a correction is pending
   * or the service is unreachable; -1 means that none was ever decided.
   */
  readonly observedGeneration: number;
  /**
   * The value of the annotation rolealerts.dev/requestedAt that the operator handled last. Set that
   * annotation to a new value to request a reconcile now. While the service cannot be reached, the
   * reconcile request waits.
   */
  readonly lastHandledReconcileAt?: string;
  readonly effective?: EffectiveSettings;
  /**
   * Ready, InSync, ConnectionReady, IncidentsOpen, Reconciling or Stalled while they are True, and
   * Coverage while it is False. In scripts, wait for Ready: kubectl wait --for=condition=Ready. Until
   * the first reconcile, Ready is Unknown with the reason Pending.
   */
  readonly conditions?: readonly Condition[];
  readonly summary?: PolicySummary;
  /**
   * Each alert that the policy declares or guards, sorted by name; up to 128. Beyond that, alerts with
   * counted deactivations are kept before others. An alert that is no longer declared keeps its entry
   * until the window of its counted deactivations ends.
   */
  readonly alerts?: readonly AlertStatus[];
  /**
   * The last verified corrections for this policy, newest first; up to 8. Consecutive equal corrections
   * share one entry with a count. The end of a dismissal is missing here when the policy is suspended,
   * in Observe mode or without a grant by then; an event of the connection reports it.
   */
  readonly history?: readonly CorrectionRecord[];
}
/**
 * The settings in force after defaults and the connection's limits.
 */
export interface EffectiveSettings {
  /**
   * The mode in force. It is Observe for every policy when the operator runs with --read-only.
   */
  readonly mode: PolicyMode;
  /**
   * The interval in force, for example 15m0s.
   */
  readonly interval: string;
  /**
   * The scope in its canonical form. Policies with the same canonical scope share one list.
   */
  readonly scope: string;
}
/**
 * One aspect of the state, as in other Kubernetes APIs.
 */
export interface Condition {
  /**
   * Name of the condition in CamelCase.
   */
  readonly type: string;
  readonly status: ConditionStatus;
  /**
   * The metadata.generation that this condition refers to.
   */
  readonly observedGeneration?: number;
  /**
   * When status last changed, in UTC.
   */
  readonly lastTransitionTime: string;
  /**
   * The reason for the status as a CamelCase word, for programs.
   */
  readonly reason: string;
  /**
   * The reason for the status as a sentence, for people. May be empty.
   */
  readonly message: string;
}
/**
 * Counts over alerts.
 */
export interface PolicySummary {
  /**
   * Alerts that this policy declares, including the unlisted alerts that it guards.
   */
  readonly declared: number;
  /**
   * Declared alerts in their desired state.
   */
  readonly inSync: number;
  /**
   * Declared alerts that differ from their desired state.
   */
  readonly drifted: number;
  /**
   * Declared alerts that the service does not list.
   */
  readonly missing: number;
  /**
   * Alerts that this policy declares Inactive and that are inactive.
   */
  readonly dismissed: number;
  /**
   * Incidents of the declared alerts, including the unlisted alerts that the policy guards.
   */
  readonly incidents: number;
  /**
   * Those of incidents that belong to alerts of severity High. An absent or unknown severity counts as
   * High.
   */
  readonly highIncidents?: number;
  /**
   * Alerts that the service lists for the scope and that this policy neither declares nor guards. They
   * have no entry in status.alerts.
   */
  readonly unmanagedCount?: number;
  /**
   * inSync and declared as kubectl get shows them, for example 2/3.
   */
  readonly inSyncText: string;
}
/**
 * One alert as last observed.
 */
export interface AlertStatus {
  /**
   * Name of the alert as the service spells it, or as declared when the service does not list it.
   */
  readonly name: string;
  readonly want: AlertWant;
  readonly dismissalEnded?: DismissalEnd;
  /**
   * The end of the dismissal in force, in UTC, from seven days before it on. The event DismissalEnding
   * announces it once.
   */
  readonly dismissalEnding?: string;
  readonly live: AlertLive;
  /**
   * When a list first lacked the alert, in UTC. Absent while the service lists the alert, and when it
   * has not listed it since the policy names it.
   */
  readonly missingSince?: string;
  readonly state: AlertState;
  readonly result: AlertResult;
  /**
   * Severity as the service reports it, usually Low, Medium or High. Absent when it reports none.
   */
  readonly severity?: string;
  readonly scanning?: AlertScanning;
  /**
   * When a list verified the last correction for this policy, in UTC. Absent when there was none.
   */
  readonly verifiedAt?: string;
  readonly lastDrift?: LastDrift;
  readonly incidents: IncidentStatus;
}
/**
 * The last drift of the alert. Absent when the operator never found one.
 */
export interface LastDrift {
  /**
   * When the operator found the drift, in UTC.
   */
  readonly at: string;
  readonly actorClass: DriftActor;
  readonly direction: DriftDirection;
}
/**
 * The incidents of the alert.
 */
export interface IncidentStatus {
  /**
   * Number of incidents; exact even when ids holds fewer.
   */
  readonly total: number;
  /**
   * Number of incidents of each type, most frequent first; beyond eight types the rest is "other".
   * Absent when all incidents have one type.
   */
  readonly byType?: readonly IncidentTypeCount[];
  /**
   * The ids of the incidents, sorted, up to spec.incidents.limit, in the form that dismissal.incidents
   * accepts. Only of an alert that the policy declares; of a guarded one the total and the types are
   * shown.
   */
  readonly ids?: readonly string[];
  /**
   * True when ids holds fewer incidents than total. Absent otherwise.
   */
  readonly truncated?: boolean;
}
/**
 * Number of incidents of one type.
 */
export interface IncidentTypeCount {
  /**
   * Incident type as the service reports it, or "other".
   */
  readonly type: string;
  /**
   * Number of incidents of this type.
   */
  readonly count: number;
}
/**
 * One correction, or several equal ones in a row.
 */
export interface CorrectionRecord {
  /**
   * When a list verified the correction, in UTC; the last time if count is above 1.
   */
  readonly at: string;
  /**
   * Name of the alert.
   */
  readonly alert: string;
  readonly direction: CorrectionDirection;
  /**
   * Why the correction was sent, as a CamelCase word, for example Drift when the alert differed from its
   * desired state, or DismissalExpired or NewIncidents when a dismissal ended.
   */
  readonly reason: string;
  /**
   * Number of equal corrections that this entry combines.
   */
  readonly count: number;
}
