// The form of a rule: one decision about one alert of one policy. The first rule that answers decides; their order is in
// decide.ts, and each rule may rely on the ones before it having passed.
import type { Alert } from '../../alerts/types.ts';
import type { DampingMemory } from '../damping.ts';
import type { ActivationBackoff, SentWrite } from '../memory.ts';
import type { AlertDecision, Claim } from '../types.ts';

export interface RuleInput {
  readonly claim: Claim;
  /** The live alert; undefined when the list does not hold it. */
  readonly alert: Alert | undefined;
  /** The claim that counts for this alert; undefined when nobody has a say. */
  readonly owner: Claim | undefined;
  /** The claim of a connection that is not heard yet, which would then count and wants the alert active. */
  readonly awaited: Claim | undefined;
  /** Our latest write to this alert that no list has confirmed. */
  readonly write: SentWrite | undefined;
  readonly isInLedger: boolean;
  readonly ledgerRoom: number;
  /** How many alerts may still be deactivated through the connection within this hour. */
  readonly deactivationsLeft: number;
  /** How often it was activated in a row; undefined when nobody undid it lately. */
  readonly activationBackoff: ActivationBackoff | undefined;
  readonly damping: DampingMemory;
  readonly isReadOnly: boolean;
  readonly intervalMs: number;
  readonly nowMs: number;
}

export type RuleResult = Pick<AlertDecision, 'result' | 'reason' | 'serviceCode' | 'ownerKey'>;

export type Rule = (input: RuleInput) => RuleResult | undefined;
