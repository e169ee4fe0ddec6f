// A recorded plan as a line of JSON without anything that a person wrote: everything that a plan reads, and of what people write only its
// length. Alerts need no redaction: the operator decodes no name of a person.
import { messageOf } from '../../lib/errors.ts';
import { isObject, parseJson } from '../../lib/json-shape.ts';
import type { DismissalRecord } from '../../policy/generated/role-alert-connection.ts';
import type { Condition, PolicyAlert, RoleAlertPolicyStatus } from '../../policy/generated/role-alert-policy.ts';
import type { ObjectMeta, RoleAlertPolicy } from '../../policy/resources.ts';
import type { PlanInput, PolicyInput } from '../decide/decisions.ts';
import { type Fact, planFacts, type PlanRecord, type ScopePlan } from '../report/plan-facts.ts';

/** Another version of the format cannot be read. New members need no new version. */
const recordVersion = 1;

/** The longest text of a person of which a recording keeps the length, in UTF-16 units. */
const keptLength = 120;

interface EncodedRecord {
  readonly version: typeof recordVersion;
  readonly program: string;
  readonly connection: string;
  readonly scope: string;
  readonly input: EncodedInput;
  readonly facts: readonly Fact[];
}

/** Sets are lists, and maps are lists of pairs; a member that is undefined is absent. */
type EncodedInput = { readonly [Member in keyof PlanInput]: Encoded<PlanInput[Member]> };
type Encoded<T> =
  T extends ReadonlySet<infer Item>
    ? readonly Item[]
    : T extends ReadonlyMap<infer Key, infer Value>
      ? readonly (readonly [Key, Value])[]
      : T;

/** One line with its line feed. `program`: the version of this program. */
export function encodeRecord({ connection, scope, input, plan }: ScopePlan, program: string): string {
  const head = { version: recordVersion, program, connection, scope } as const;
  const record: EncodedRecord = { ...head, input: encodeInput(input), facts: planFacts(plan) };
  // Readers of lines may split at these two, which JSON allows in a text.
  return `${JSON.stringify(record).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`;
}

function encodeInput(input: PlanInput): EncodedInput {
  const redacted = { ...input, policies: input.policies.map(redactInput), ledger: input.ledger.map(redactEntry) };
  const members = Object.entries(redacted).map(([name, value]: [string, unknown]) => {
    return [name, value instanceof Set || value instanceof Map ? [...value] : value];
  });
  return Object.fromEntries(members) as EncodedInput;
}

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
  return {
    ...input,
    unproven: new Set(input.unproven),
    deactivated: new Set(input.deactivated),
    sent: new Map(input.sent),
    activationBackoffs: new Map(input.activationBackoffs),
    recentDeactivations: new Map(input.recentDeactivations),
    deactivationsByNamespace: input.deactivationsByNamespace && new Map(input.deactivationsByNamespace),
  };
}

export function redactInput(input: PolicyInput): PolicyInput {
  return { ...input, policy: redactPolicy(input.policy) };
}

function redactEntry(entry: DismissalRecord): DismissalRecord {
  const { reason, ...rest } = entry;
  return reason === undefined ? entry : rest;
}

function redactPolicy({ apiVersion, kind, metadata, spec, status }: RoleAlertPolicy): RoleAlertPolicy {
  const { alerts } = spec;
  return {
    apiVersion,
    kind,
    metadata: redactMetadata(metadata),
    spec: { ...spec, ...(alerts && { alerts: alerts.map(redactAlert) }) },
    ...(status && { status: redactStatus(status) }),
  };
}

/** No label and no annotation. */
function redactMetadata(metadata: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } = metadata;
  const kept = { name, namespace, uid, resourceVersion, generation, creationTimestamp };
  return deletionTimestamp === undefined ? kept : { ...kept, deletionTimestamp };
}

function redactAlert(alert: PolicyAlert): PolicyAlert {
  const { dismissal } = alert;
  return dismissal ? { ...alert, dismissal: { ...dismissal, reason: masked(dismissal.reason) } } : alert;
}

/** No message of a condition, no reconcile request and no history: no plan reads them. */
function redactStatus(status: RoleAlertPolicyStatus): RoleAlertPolicyStatus {
  const { conditions, history: _, lastHandledReconcileAt: __, ...rest } = status;
  return { ...rest, ...(conditions && { conditions: conditions.map(redactCondition) }) };
}

function redactCondition(condition: Condition): Condition {
  return { ...condition, message: '' };
}

/** A reason counts by its visible characters (policy/dismissal.ts), so each of them becomes an x. */
function masked(reason: string): string {
  return reason
    .slice(0, keptLength)
    .toWellFormed()
    .replace(/[\p{L}\p{N}\p{P}\p{S}]/gu, 'x');
}
