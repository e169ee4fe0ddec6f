// A row for every reason: its message, and where it appears. The runbook and the reference page show the rows, and a test checks them.
import { systemClock } from '../../../src/lib/clock.ts';
import { objectFamilies } from '../../../src/operator/manager/object-metrics.ts';
import { fillIn } from '../../../src/operator/reasons/message-facts.ts';
import { explainReason } from '../../../src/operator/reasons/reason-notes.ts';
import {
  type CapacityReason,
  capacityReasons,
  type ConnectionReason,
  connectionReasons,
  type PolicyReason,
  policyReasons,
  type Reason,
  type ReasonText,
} from '../../../src/operator/reasons/reasons.ts';
import { policy } from '../builders/objects.ts';
import { capacityExamples, connectionExamples, produceCapacity, produceHealth } from './connection-examples.ts';
import { eventExamples, type EventOnlyReason } from './event-examples.ts';
import { type Produced, produceStatus } from './example.ts';
import { policyExamples } from './policy-examples.ts';

export interface ReasonRow {
  readonly reason: string;
  /** The message of the condition or the note of the event, from realistic objects. */
  readonly message: string;
  /** The rest of the advice of the reason. */
  readonly more: string;
  /** `TYPE=STATUS` of each condition, or `none, because …`. */
  readonly conditions: string;
  /** The type of the event, or `none, because …`. */
  readonly event: string;
  /** Level and message of each log line, or `none, because …`. */
  readonly log: string;
  readonly metric: string;
}

const entriesOf = <K extends string, V>(record: Readonly<Record<K, V>>) => Object.entries(record) as [K, V][];

export async function policyRows(): Promise<ReasonRow[]> {
  const texts: Readonly<Record<PolicyReason, ReasonText>> = policyReasons;
  const rows = entriesOf(policyExamples).map(async ([reason, { input, noEvent }]) => {
    const produced = input ? await produceStatus(input) : { object: policy(), events: [], lines: [] };
    return rowOf(reason, produced, { text: texts[reason], noEvent });
  });
  return Promise.all(rows);
}

export function connectionRows(): ReasonRow[] {
  const texts: Readonly<Record<ConnectionReason, ReasonText>> = connectionReasons;
  return entriesOf(connectionExamples).map(([reason, { noCondition, noEvent }]) =>
    rowOf(reason, produceHealth(reason), { text: texts[reason], noCondition, noEvent }),
  );
}

/** Of the condition Capacity. */
export function capacityRows(): ReasonRow[] {
  const texts: Readonly<Record<CapacityReason, ReasonText>> = capacityReasons;
  return entriesOf(capacityExamples).map(([reason, { noCondition, noEvent }]) =>
    rowOf(reason, produceCapacity(reason), { text: texts[reason], noCondition, noEvent }),
  );
}

export async function eventRows(): Promise<ReasonRow[]> {
  const rows = entriesOf(eventExamples).map(async ([reason, { produce, condition, metric }]) => {
    const { note, event, log } = eventOf(reason, await produce());
    return { reason, message: note, more: '', conditions: condition, event, log, metric };
  });
  return Promise.all(rows);
}

function eventOf(reason: EventOnlyReason, { events, lines }: Produced) {
  const found = events.find((event) => event.reason === reason);
  if (!found) throw new Error(`the example of ${reason} does not emit it`);
  return { note: found.note, event: found.type, log: linesOf(reason, lines) };
}

interface Context {
  readonly text: ReasonText;
  readonly noCondition?: string | undefined;
  readonly noEvent?: string | undefined;
}

function rowOf(reason: Reason, { object, events, lines }: Produced, context: Context): ReasonRow {
  const shown = object?.status?.conditions?.filter((condition) => condition.reason === reason) ?? [];
  const event = events.find((each) => each.reason === reason);
  return {
    reason,
    message: shown[0]?.message ?? fillIn(context.text.message, {}),
    more: explainReason(reason).more ?? '',
    conditions: oneOf(shown.map(({ type, status }) => `\`${type}=${status}\``).join(' '), context.noCondition),
    event: oneOf(event?.type, context.noEvent),
    log: linesOf(reason, lines) || 'none, because the operator does not write it',
    metric: oneOf(seriesOf(reason, object), context.noCondition),
  };
}

/** What there is, or why there is nothing. Throws unless exactly one of both is given. */
function oneOf(found: string | undefined, because: string | undefined): string {
  if (!found === (because === undefined)) throw new Error(`either ${found} or none, because ${because}`);
  return found || `none, because ${because}`;
}

const families = objectFamilies({ clock: systemClock, unverifiedSinceMs: () => undefined });

/** The series of the conditions with this reason. */
function seriesOf(reason: string, object: Produced['object']): string {
  const policies = object?.kind === 'RoleAlertPolicy' ? [object] : [];
  const connections = object?.kind === 'RoleAlertConnection' ? [object] : [];
  const found = families.filter(({ samples }) =>
    [...samples({ policies, connections })].some(({ labels }) => labels['reason'] === reason),
  );
  return found.map(({ name }) => `\`${name}{reason="${reason}"}\``).join(' ');
}

function linesOf(reason: string, lines: Produced['lines']): string {
  const texts = lines.filter((line) => line.reason === reason).map(({ level, msg }) => `${level} \`${msg}\``);
  return [...new Set(texts)].join(', ');
}
