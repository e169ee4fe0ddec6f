// A recorded plan as a line of JSON. Sets are lists, and maps are lists of pairs; a member that is undefined is absent.
import type { ActivationBackoff, PendingWrite } from '../decide/memory.ts';
import type { PlanInput } from '../decide/plan-input.ts';
import type { Fact } from '../report/facts.ts';

/** Another version of the format cannot be read. New members need no new version. */
export const recordVersion = 1;

type Pairs<T> = readonly (readonly [string, T])[];

type Encoded =
  | 'unproven'
  | 'deactivated'
  | 'sent'
  | 'activationBackoffs'
  | 'recentDeactivations'
  | 'deactivationsByNamespace';

export interface EncodedInput extends Omit<PlanInput, Encoded> {
  readonly unproven: readonly string[];
  readonly deactivated: readonly string[];
  readonly sent: Pairs<PendingWrite>;
  readonly activationBackoffs: Pairs<ActivationBackoff>;
  readonly recentDeactivations: Pairs<readonly number[]>;
  readonly deactivationsByNamespace?: Pairs<number>;
}

export interface EncodedRecord {
  readonly version: typeof recordVersion;
  readonly program: string;
  readonly connection: string;
  readonly scope: string;
  readonly input: EncodedInput;
  readonly facts: readonly Fact[];
}
