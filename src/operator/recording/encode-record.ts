// Turns a plan into a line of JSON without anything that a person wrote.
import type { PlanInput } from '../decide/plan-input.ts';
import { planFacts, type ScopePlan } from '../report/facts.ts';
import { type EncodedInput, type EncodedRecord, recordVersion } from './encoded-record.ts';
import { redactEntry, redactInput } from './redact.ts';

/** One line with its line feed. `program`: the version of this program. */
export function encodeRecord({ connection, scope, input, plan }: ScopePlan, program: string): string {
  const head = { version: recordVersion, program, connection, scope } as const;
  const record: EncodedRecord = { ...head, input: encodeInput(input), facts: planFacts(plan) };
  // Readers of lines may split at these two, which JSON allows in a text.
  return `${JSON.stringify(record).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`;
}

function encodeInput(input: PlanInput): EncodedInput {
  const { policies, ledger, unproven, deactivated, sent, activationBackoffs } = input;
  const { deactivationsByNamespace, ...rest } = input;
  return {
    ...rest,
    policies: policies.map(redactInput),
    ledger: ledger.map(redactEntry),
    unproven: [...unproven],
    deactivated: [...deactivated],
    sent: [...sent],
    activationBackoffs: [...activationBackoffs],
    recentDeactivations: [...input.recentDeactivations],
    ...(deactivationsByNamespace && { deactivationsByNamespace: [...deactivationsByNamespace] }),
  };
}
