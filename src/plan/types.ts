// The input and the output of a plan: immutable data only.
import type { Alert } from '../alerts/types.ts';
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import type { DriftActor } from '../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../policy/resources.ts';
import type { Denial, Grant, Want } from '../policy/wants.ts';
import type { DampingMemory } from './damping.ts';
import type { ActivationBackoff, Waits, ActionCause, SentWrite } from './memory.ts';

/**
 * The standing of a connection on one scope. `Proven`: it has listed the scope with its own credential and was not
 * refused since. `Refused`: the service refused its credential or the scope, or the connection cannot be used.
 * `Unheard`: neither yet.
 */
export type Standing = 'Proven' | 'Refused' | 'Unheard';

/** One policy on the scope. */
export interface PolicyInput {
  readonly policy: RoleAlertPolicy;
  /** `namespace/name`. */
  readonly key: string;
  /** The grant of the policy's own connection. */
  readonly grant: Grant;
  /** The policy's own connection, `namespace/name`. */
  readonly connection: string;
  /**
   * False for a policy of another connection to the same endpoint: its claims count, but this reconcile does not write
   * its status.
   */
  readonly isOwn: boolean;
  /** The standing of the policy's own connection. Own policies are `Proven`, because a plan follows a list. */
  readonly standing: Standing;
  /** False while the policy's own connection cannot reach the scope, and so cannot correct it. */
  readonly canAct: boolean;
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
  readonly winner: Claim | undefined;
  /**
   * The claim whose connection acts: the winner, or a claim of this connection when the winner's did not act in time.
   */
  readonly owner: Claim | undefined;
  /** A claim for Active that would win once its connection has listed the scope. */
  readonly awaited: Claim | undefined;
}

export interface PlanInput {
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
  /** How many more dismissals the ledger can record. */
  readonly ledgerRoom: number;
  /** How many more deactivations the connection may send within this hour. */
  readonly deactivationsLeft: number;
  /** When the next deactivation is allowed, if none is left; milliseconds since 1970. */
  readonly nextDeactivationMs: number | undefined;
  /** By `canonicalName`. */
  readonly sent: ReadonlyMap<string, SentWrite>;
  /** Recently activated alerts, by `canonicalName`. */
  readonly activationBackoffs: ReadonlyMap<string, ActivationBackoff>;
  readonly damping: DampingMemory;
  /** The waits of the previous plan. */
  readonly waits: Waits;
}

/** One PATCH. */
export interface Action {
  /** In the service's spelling. */
  readonly alert: string;
  readonly isActive: boolean;
  readonly cause: ActionCause;
  readonly policyKey: string | undefined;
  /** The class of actor that probably made it necessary. */
  readonly actor: DriftActor;
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

/** The reason for a result that needs one. */
export type ResultReason =
  | 'ObserveOnly'
  | 'VerifyingWrite'
  | 'WriteNotVerified'
  | 'CorrectionFailed'
  | 'ServiceUnreachable'
  | 'LedgerFull'
  | 'Flapping'
  | 'DeactivationLimited'
  | 'CorrectionUndone'
  | 'WaitingForClaims'
  | 'WaitingForOwner'
  | Denial;

/** The decision for one alert of one policy. */
export interface AlertDecision {
  /** The service's spelling, or the policy's when the service does not list the alert. */
  readonly name: string;
  readonly want: Want;
  /** Undefined when the service does not list it. */
  readonly alert: Alert | undefined;
  readonly result: Result;
  readonly reason?: ResultReason;
  /** True when the connection's ledger records that this operator deactivated it. */
  readonly isOurs?: boolean;
  /** `error.code` behind `CorrectionFailed`. */
  readonly serviceCode?: string | undefined;
  /** `namespace/name` of the policy that owns the alert, for `Conflict`. */
  readonly ownerKey?: string;
}

export interface PolicyDecision {
  readonly policy: RoleAlertPolicy;
  readonly key: string;
  /** Sorted by name. */
  readonly alerts: readonly AlertDecision[];
}

/** An entry of the ledger that is in force. */
export interface KeptEntry {
  readonly entry: DismissalRecord;
  /** The policy that the entry names while it declares the dismissal; otherwise one that does. */
  readonly policyKey: string;
}

export interface Plan {
  readonly actions: readonly Action[];
  /** Own policies only. */
  readonly policies: readonly PolicyDecision[];
  /** The waits for other connections after this plan. */
  readonly waits: Waits;
  /** Entries that are resolved, because the alert is active again. */
  readonly resolvedDismissals: readonly DismissalRecord[];
  /** Entries whose alert a current dismissal keeps inactive, each with a policy that declares it. */
  readonly kept: readonly KeptEntry[];
  /** Entries whose alert the service does not list. */
  readonly missing: readonly DismissalRecord[];
  /** The next moment at which time alone changes a decision; milliseconds since 1970. */
  readonly nextChangeMs: number | undefined;
}

/** What a complete list says about the entries of its scope. */
export type LedgerNews = Pick<Plan, 'resolvedDismissals' | 'kept' | 'missing'>;
