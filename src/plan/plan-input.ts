// The input and the output of a plan: immutable data only.
import type { Alert } from '../alerts/types.ts';
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import type { RoleAlertPolicy } from '../policy/resources.ts';
import type { Grant, Want } from '../policy/wants.ts';
import type { DampingMemory } from './damping.ts';
import type { ActivationBackoff, Waits, SentWrite } from './memory.ts';

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
  /** At the time of the gathering; `suspendUntil` ends a suspension by itself. */
  readonly isSuspended: boolean;
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
  /** Canonical names of the alerts whose deactivation by this operator was verified in this reconcile. */
  readonly deactivated: ReadonlySet<string>;
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
