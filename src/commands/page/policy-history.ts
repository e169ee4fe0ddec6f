// What the status and the events of a policy show of its past, newest first. A status keeps the last transitions only.
import { byText } from '../../lib/by-text.ts';
import type { AlertStatus, Condition, CorrectionRecord } from '../../policy/generated/role-alert-policy.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import { changers } from '../preview/build-preview.ts';
import type { ReportedEvent } from '../report/reported-event.ts';

export interface HistoryEntry {
  /** RFC 3339, UTC. */
  readonly at: string;
  readonly kind: 'Condition' | 'Correction' | 'Drift' | 'Event';
  /** Of a drift, the kind of actor. */
  readonly reason: string;
  readonly text: string;
}

export function policyHistory({ status }: RoleAlertPolicy, events: readonly ReportedEvent[]): readonly HistoryEntry[] {
  const entries = [
    ...(status?.conditions ?? []).filter(isDecided).map(conditionEntry),
    ...(status?.history ?? []).map(correctionEntry),
    ...(status?.alerts ?? []).flatMap(driftEntry),
    ...events.map(eventEntry),
  ];
  return entries.sort((left, right) => Date.parse(right.at) - Date.parse(left.at) || byText(left.reason, right.reason));
}

/** The condition that the API server adds has no time. */
function isDecided({ lastTransitionTime }: Condition): boolean {
  return Date.parse(lastTransitionTime) > 0;
}

function conditionEntry({ lastTransitionTime: at, type, status, reason, message }: Condition): HistoryEntry {
  return { at, kind: 'Condition', reason, text: `${type} became ${status}. ${message}` };
}

function correctionEntry({ at, alert, direction, reason, count }: CorrectionRecord): HistoryEntry {
  return { at, kind: 'Correction', reason, text: `The operator ${verbOf(direction)} ${alert}${times(count)}.` };
}

function driftEntry({ name, lastDrift }: AlertStatus): readonly HistoryEntry[] {
  if (!lastDrift) return [];
  const { at, actorClass, direction } = lastDrift;
  const text = `The operator found that ${name} had been ${verbOf(direction)}, probably by ${actorOf(actorClass)}.`;
  return [{ at, kind: 'Drift', reason: actorClass, text }];
}

function eventEntry({ at, reason, note, count }: ReportedEvent): HistoryEntry {
  return { at, kind: 'Event', reason, text: `${note}${count > 1 ? ` (${count} times)` : ''}` };
}

// A newer operator may write words that this version does not know.
const verbOf = (direction: string) => verbs[direction] ?? `changed (${direction})`;
const actorOf = (actorClass: string) => actors[actorClass] ?? `an actor of the kind ${actorClass}`;

const verbs: Readonly<Record<string, string>> = { Activated: 'activated', Deactivated: 'deactivated' };

const actors: Readonly<Record<string, string>> = {
  ...changers,
  Self: 'this operator',
  Unknown: 'an actor that the service does not name',
};

function times(count: number): string {
  return count > 1 ? ` ${count} times` : '';
}
