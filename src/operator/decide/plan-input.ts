// The input and the output of a plan: immutable data only.
import type { Alert } from '../../alerts/types.ts';
import type { DismissalRecord } from '../../policy/generated/role-alert-connection.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import type { Grant, Want } from '../../policy/wants.ts';
import type { DeactivationFacts } from '../dismissals/deactivations.ts';
import type { ActivationBackoff, PendingWrite } from './memory.ts';

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
