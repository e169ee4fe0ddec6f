// The type of a rule, which decides one alert of one policy or leaves it to the next rule. decide.ts has their order; a
// rule may rely on the rules before it.
import type { Alert } from '../../alerts/types.ts';
import type { AlertDecision, WindowHold } from '../decisions.ts';
import type { ActivationBackoff, SentWrite } from '../memory.ts';
import type { Claim, PolicyInput } from '../plan-input.ts';

export interface RuleInput {
  readonly claim: Claim;
  /** The live alert; undefined when the service does not list it. */
  readonly alert: Alert | undefined;
  /** The claim that counts on this alert; undefined when none competes. */
  readonly owner: Claim | undefined;
  /** The latest write to this alert that no list has verified. */
  readonly write: SentWrite | undefined;
  readonly isInLedger: boolean;
  /** The `since` of the entry in the ledger if it names the policy of the claim. */
  readonly dismissedSince?: string | undefined;
  readonly ledgerRoom: number;
  /** How many more deactivations the policy may have sent within this hour. */
  readonly deactivationsLeft: number;
  /** How correction windows hold the deactivations of a policy; undefined while they are open. */
  readonly windowHold: (input: PolicyInput) => WindowHold | undefined;
  /** Undefined unless the operator activated the alert recently. */
  readonly activationBackoff: ActivationBackoff | undefined;
  /** When the alert was deactivated through the connection, the oldest first; milliseconds since 1970. */
  readonly deactivatedMs: readonly number[];
  readonly isReadOnly: boolean;
  readonly intervalMs: number;
  readonly nowMs: number;
}

export type RuleResult = Pick<
  AlertDecision,
  'result' | 'reason' | 'serviceCode' | 'ownerKey' | 'opensAtMs' | 'invalidWindow'
>;

export type Rule = (input: RuleInput) => RuleResult | undefined;
