// Reads a line of a recording. Its version says whether this program can read it; what a controller would not have written fails the
// line, here or when it is planned.
import { messageOf } from '../../lib/errors.ts';
import { isObject, parseJson } from '../../lib/json-shape.ts';
import type { PlanInput } from '../decide/plan-input.ts';
import type { PlanRecord } from '../report/facts.ts';
import { type EncodedInput, type EncodedRecord, recordVersion } from './encoded-record.ts';

export type DecodedRecord =
  | { readonly record: PlanRecord; readonly problem?: undefined; readonly isCut?: undefined }
  /** `problem`: a sentence without a full stop. `isCut`: the line may be the beginning of a record. */
  | { readonly record?: undefined; readonly problem: string; readonly isCut: boolean };

/** Never throws. */
export function decodePlanRecord(line: string): DecodedRecord {
  const json = parseJson(line);
  if (!isObject(json)) return { problem: 'it is not a JSON object', isCut: true };
  const { version } = json;
  if (version !== recordVersion) {
    return {
      problem: `it has version ${JSON.stringify(version)}, and this program reads version ${recordVersion}`,
      isCut: false,
    };
  }
  const { program, connection, scope, input, facts } = json as unknown as EncodedRecord;
  try {
    return { record: { program, connection, scope, input: decodeInput(input), facts } };
  } catch (error) {
    return { problem: `it is not a record (${messageOf(error)})`, isCut: false };
  }
}

function decodeInput(input: EncodedInput): PlanInput {
  const { unproven, deactivated, sent, activationBackoffs } = input;
  return {
    ...input,
    unproven: new Set(unproven),
    deactivated: new Set(deactivated),
    sent: new Map(sent),
    activationBackoffs: new Map(activationBackoffs),
    recentDeactivations: new Map(input.recentDeactivations),
    deactivationsByNamespace: input.deactivationsByNamespace && new Map(input.deactivationsByNamespace),
  };
}
