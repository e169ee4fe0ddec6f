// The input and the output of a plan: the claims of policies on alerts, its actions, and the decision for each alert of each policy.
// Immutable data only.
import type { Alert } from '../../alerts/types.ts';
import type { DismissalRecord } from '../../policy/generated/role-alert-connection.ts';
import type { Grant } from '../../policy/grant.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import type { Want } from '../../policy/wants.ts';
import type { DeactivationFacts } from '../dismissals/deactivations.ts';
import type { LedgerNews } from '../dismissals/ledger.ts';
import type { PolicyReason } from '../reasons/reasons.ts';
import type { ActivationBackoff, PatchFacts, PendingWrite } from './writes.ts';

/** One PATCH. */
export interface Action extends PatchFacts {
  /** In the service's spelling. */
  readonly alert: string;
}

export type Result =
  | 'InSync'
  | 'Drifted'
  | 'Pending'
  | 'Held'
  | 'Denied'
  | 'Conflict'
  | 'Missing'
  | 'Failed'
  | 'Unmanaged';

/** The decision for one alert of one policy. */
export interface AlertDecision {
  /** The service's spelling, or the policy's when the service does not list the alert. */
  readonly name: string;
  readonly want: Want;
  /** Undefined when the service does not list it. */
  readonly alert: Alert | undefined;
  readonly result: Result;
  /** For a result that needs one. */
  readonly reason?: PolicyReason;
  /** True when the connection's ledger records that this operator deactivated it. */
  readonly isDeactivatedByOperator?: boolean;
  /** The `since` of that record if it names this policy. */
  readonly dismissedSince?: string | undefined;
  /** True when the operator keeps activating it and other clients keep deactivating it. */
  readonly isUndone?: boolean;
  /** `error.code` behind `CorrectionFailed`. */
  readonly serviceCode?: string | undefined;
  /** `namespace/name` of the policy that owns the alert, for `Conflict`. */
  readonly ownerKey?: string;
  /** When time alone ends what holds the correction; milliseconds since 1970, undefined if it does not or that is unknown. */
  readonly untilMs?: number | undefined;
  /** The member of a correction window that cannot be read, for `WindowInvalid`. */
  readonly invalidWindow?: string;
}

/** How correction windows hold a deactivation. */
export interface WindowHold extends Pick<AlertDecision, 'untilMs' | 'invalidWindow'> {
  readonly reason: PolicyReason;
}

export interface PolicyDecision {
  readonly policy: RoleAlertPolicy;
  readonly key: string;
  /** Sorted by name. */
  readonly alerts: readonly AlertDecision[];
  /** What the policy declares and its connection does not grant; absent when it grants everything. */
  readonly withheld?: Withheld;
}

export interface Withheld {
  /** The policy declares Enforce, and Observe is granted. */
  readonly mode: boolean;
  /** The policy guards unlisted alerts, and the guard is not granted. */
  readonly guard: boolean;
}

/** An entry of the ledger that is in force. */
export interface KeptEntry {
  readonly entry: DismissalRecord;
  /** The policy that the entry names while it declares the dismissal; otherwise one that does. */
  readonly policyKey: string;
}

export interface Plan extends LedgerNews {
  readonly actions: readonly Action[];
  readonly policies: readonly PolicyDecision[];
  /** Entries whose alert a current dismissal keeps inactive, each with a policy that declares it. */
  readonly kept: readonly KeptEntry[];
  /** The next moment at which time alone changes a decision; milliseconds since 1970. */
  readonly nextChangeMs: number | undefined;
}

/** One policy on the scope. */
export interface PolicyInput {
  readonly policy: RoleAlertPolicy;
  /** `namespace/name`. */
  readonly key: string;
  /** At the time of the gathering; `suspendUntil` ends a suspension by itself. */
  readonly isSuspended: boolean;
  /** What the connection grants to the policy. */
  readonly grant: Grant;
}

/** A policy's demand on one alert. */
export interface Claim {
  readonly input: PolicyInput;
  readonly want: Want;
}

/** One alert with all claims on it. */
export interface AlertRow {
  readonly key: string;
  /** Undefined when a policy declares the alert and the service does not list it. */
  readonly alert: Alert | undefined;
  readonly claims: readonly Claim[];
  /** The claim that counts. */
  readonly owner: Claim | undefined;
}

export interface PlanInput extends DeactivationFacts {
  readonly nowMs: number;
  readonly isReadOnly: boolean;
  readonly intervalMs: number;
  readonly policies: readonly PolicyInput[];
  /** The alerts of the last complete list. */
  readonly alerts: readonly Alert[];
  /** The ledger's entries for this scope. */
  readonly ledger: readonly DismissalRecord[];
  /** Canonical names of the ledger's alerts whose last deactivation may have taken effect after the list began. */
  readonly unproven: ReadonlySet<string>;
  /** Canonical names of the alerts whose deactivation by this operator was verified in this reconcile. */
  readonly deactivated: ReadonlySet<string>;
  /** How many more dismissals the ledger can record. */
  readonly ledgerRoom: number;
  /** By `canonicalName`. */
  readonly sent: ReadonlyMap<string, PendingWrite>;
  /** Recently activated alerts, by `canonicalName`. */
  readonly activationBackoffs: ReadonlyMap<string, ActivationBackoff>;
}
