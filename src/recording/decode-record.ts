// Reads a line of a recording.
import { isObject, parseJson } from '../lib/json-shape.ts';
import type { PlanRecord } from '../plan/facts.ts';
import type { PlanInput } from '../plan/plan-input.ts';
import { type EncodedInput, type EncodedRecord, recordVersion } from './encoded-record.ts';
import { recordShape } from './record-shape.ts';

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
  const wrong = recordShape(json);
  if (wrong !== undefined || !isEncodedRecord(json))
    return { problem: `${wrong} is missing or has the wrong type`, isCut: false };
  const { program, connection, scope, input, facts } = json;
  return { record: { program, connection, scope, input: decodeInput(input), facts } };
}

function isEncodedRecord(json: unknown): json is EncodedRecord {
  return recordShape(json) === undefined;
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
