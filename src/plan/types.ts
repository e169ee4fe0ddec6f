// What a reconcile decides from, and what it decides. All of it is data: no clock, no network, nothing that moves.
import type { Alert } from '../alerts/types.ts';
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import type { DriftActor } from '../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../policy/resources.ts';
import type { Denial, Grant, Want } from '../policy/wants.ts';
import type { DampingMemory } from './damping.ts';
import type { ActivationBackoff, Waits, ActionCause, SentWrite } from './memory.ts';

/**
 * What is known of a connection on one scope. `Proven`: it has listed the scope with its own credential, and nothing has refused it
 * since. `Refused`: its credential or the scope was refused, or it cannot be used. `Unheard`: neither yet.
 */
export type Standing = 'Proven' | 'Refused' | 'Unheard';

/** One policy on the scope. */
export interface PolicyInput {
  readonly policy: RoleAlertPolicy;
  /** `namespace/name`. */
  readonly key: string;
  /** What its own connection's owner grants. */
  readonly grant: Grant;
  /** Its own connection, `namespace/name`. */
  readonly connection: string;
  /** False when it reaches the scope through another connection to the same endpoint: it has a say, its status is not ours. */
  readonly isOwn: boolean;
  /** Of its own connection. Those of this connection count as proven: a plan follows a list. */
  readonly standing: Standing;
  /** False while its connection does not reach the scope: what it wants, nobody sends for it. */
  readonly canAct: boolean;
}

/** A policy's say over one alert. */
export interface Claim {
  readonly input: PolicyInput;
  readonly want: Want;
}

/** One alert with the claims on it. */
export interface AlertRow {
  readonly key: string;
  /** Undefined when a policy declares it and the list does not hold it. */
  readonly alert: Alert | undefined;
  readonly claims: readonly Claim[];
  /** The claim that counts. */
  readonly winner: Claim | undefined;
  /** Whose connection acts on it: the winner's, or this one once that had its turn. */
  readonly owner: Claim | undefined;
  /** The claim that would count, and want it active, if a connection that is not heard yet proved itself. */
  readonly awaited: Claim | undefined;
}

export interface PlanInput {
  readonly nowMs: number;
  readonly isReadOnly: boolean;
  readonly intervalMs: number;
  readonly policies: readonly PolicyInput[];
  /** The last whole list. */
  readonly alerts: readonly Alert[];
  /** The connection's entries of this scope. */
  readonly ledger: readonly DismissalRecord[];
  /** Canonical names of its alerts whose last deactivation may have had its effect only after the list was begun. */
  readonly unproven: ReadonlySet<string>;
  /** How many more entries the connection's ledger can take. */
  readonly ledgerRoom: number;
  /** How many alerts may still be deactivated through the connection within this hour. */
  readonly deactivationsLeft: number;
  /** When the next one may be, once none is left; milliseconds since 1970. */
  readonly nextDeactivationMs: number | undefined;
  /** By `canonicalName`. */
  readonly sent: ReadonlyMap<string, SentWrite>;
  /** Alerts that were activated lately, by `canonicalName`. */
  readonly activationBackoffs: ReadonlyMap<string, ActivationBackoff>;
  readonly damping: DampingMemory;
  /** What the plan before this one waited for. */
  readonly waits: Waits;
}

/** One PATCH. */
export interface Action {
  /** As the service spells it in the list. */
  readonly alert: string;
  readonly isActive: boolean;
  readonly cause: ActionCause;
  readonly policyKey: string | undefined;
  /** Who probably made it necessary. */
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

/** Why a result is what it is, where the result alone does not say. */
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

/** What was decided for one alert of one policy. */
export interface AlertDecision {
  /** As the policy spells it, or the service where the policy does not name it. */
  readonly name: string;
  readonly want: Want;
  /** Undefined when the list does not hold it. */
  readonly alert: Alert | undefined;
  readonly result: Result;
  readonly reason?: ResultReason;
  /** True when the connection's ledger says that this operator deactivated it. */
  readonly isOurs?: boolean;
  /** `error.code` behind `CorrectionFailed`. */
  readonly serviceCode?: string | undefined;
  /** Namespace/name of the policy that owns the alert, for `Conflict`. */
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
  /** The policy that the entry names, as long as it declares the dismissal; otherwise one that does. */
  readonly policyKey: string;
}

export interface Plan {
  readonly actions: readonly Action[];
  /** Own policies only. */
  readonly policies: readonly PolicyDecision[];
  /** What is left to other connections from now on. */
  readonly waits: Waits;
  /** Entries of the ledger that have done their duty: the alert is active again. */
  readonly resolvedDismissals: readonly DismissalRecord[];
  /** Entries whose alert stays inactive because a current dismissal declares it, each with a policy that does. */
  readonly kept: readonly KeptEntry[];
  /** Entries whose alert the list does not hold. */
  readonly missing: readonly DismissalRecord[];
  /** The next moment at which time alone changes what is decided; milliseconds since 1970. */
  readonly nextChangeMs: number | undefined;
}

/** What a whole list says about the entries of its scope. */
export type LedgerNews = Pick<Plan, 'resolvedDismissals' | 'kept' | 'missing'>;
