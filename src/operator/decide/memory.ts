// What a plan knows of earlier plans: sent writes, verified corrections and back-offs. The controller keeps them
// in the state of the scope (scope-state.ts).
import type { DriftActor } from '../../policy/generated/role-alert-policy.ts';

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

/** What a PATCH sets, and why. */
export interface PatchFacts {
  readonly isActive: boolean;
  readonly cause: ActionCause;
  /** `namespace/name` of the policy that wants it; undefined for a dismissal that no policy declares any more. */
  readonly policyKey: string | undefined;
  /** The class of actor that probably made it necessary. */
  readonly actor: DriftActor;
}

/** A PATCH that no list has verified yet. The controller keeps it in memory; a restart loses it. */
export interface PendingWrite extends PatchFacts {
  /** When the latest try was sent; milliseconds since 1970. */
  readonly sentAtMs: number;
  /** 1 for the first try. */
  readonly tries: number;
  /** Set when the latest try failed. */
  readonly failure?: WriteFailure;
}

export interface WriteFailure {
  /**
   * `Refused`: by the service. `Unreachable`: the response was lost, or a try before may have been applied. `NotWritten`: no try was written to
   * the socket, so that it cannot have had an effect.
   */
  readonly kind: 'Refused' | 'Unreachable' | 'NotWritten';
  /** `error.code` of the response; undefined without one. */
  readonly serviceCode: string | undefined;
  readonly retryAtMs: number;
}

/** A sent write whose flag a list has shown. */
export interface Correction extends PatchFacts {
  /** In the service's spelling. */
  readonly alert: string;
  /** When a list showed it, in milliseconds since 1970. The status may be written hours later. */
  readonly seenAtMs: number;
}

/** How many corrections in a row activated the alert, and when a list last verified one (milliseconds since 1970). */
export interface ActivationBackoff {
  readonly count: number;
  readonly lastMs: number;
}
