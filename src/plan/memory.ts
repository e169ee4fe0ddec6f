// What a plan remembers of the ones before it: writes that were sent, corrections that were seen, and what is waited for. Kept by the
// controller in the state of the scope (scope-state.ts).
import type { DriftActor } from '../policy/generated/role-alert-policy.ts';

/** Why a PATCH is sent. */
export const actionCauses = [
  'Declared',
  'Unlisted',
  'DismissalHolds',
  'DismissalExpired',
  'NewIncidents',
  'DeclarationGone',
] as const;
export type ActionCause = (typeof actionCauses)[number];

/** A PATCH of ours that a list has not confirmed yet. Kept in memory by the controller, never across a restart. */
export interface SentWrite {
  readonly isActive: boolean;
  /** When the latest try was sent; milliseconds since 1970. */
  readonly sentAtMs: number;
  readonly cause: ActionCause;
  /** Namespace/name of the policy it was for; undefined for an entry of the ledger that nobody declares any more. */
  readonly policyKey: string | undefined;
  /** Who probably made it necessary. */
  readonly actor: DriftActor;
  /** 1 for the first try. */
  readonly tries: number;
  /** True when no try of it reached the socket, so that no list can show that it was applied. */
  readonly neverWritten?: boolean;
  /** Set when the service refused it or could not be reached: what was seen, and when it may be tried again. */
  readonly failure?: WriteFailure;
}

export interface WriteFailure {
  readonly kind: 'Refused' | 'Unreachable';
  /** `error.code` of the answer; undefined when there was none. */
  readonly serviceCode: string | undefined;
  readonly retryAtMs: number;
}

/** A write of ours that was seen live. */
export interface Correction {
  /** As the service spells it. */
  readonly alert: string;
  readonly isActive: boolean;
  readonly cause: ActionCause;
  readonly policyKey: string | undefined;
  /** Who probably made it necessary. */
  readonly actor: DriftActor;
  /** When a list showed it. The status may be written hours later; milliseconds since 1970. */
  readonly seenAtMs: number;
}

/** How often in a row, and when it was last seen on. */
export interface ActivationBackoff {
  readonly count: number;
  readonly lastMs: number;
}

/** Since when something is waited for. Kept in memory by the controller: after a start everything is waited for anew. */
export interface Waits {
  /** Since when claims that are not proven yet hold a decision on this scope; milliseconds since 1970. */
  readonly claimsSinceMs: number | undefined;
  /** By `canonicalName`: since when a correction is left to the connection of its owner; milliseconds since 1970. */
  readonly ownerSinceMs: ReadonlyMap<string, number>;
}
