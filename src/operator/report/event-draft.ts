// Events before they have a regarding object and a time, and how the findings of one reconcile about several alerts become one
// event for each reason: an event costs the API server as much as any other write.
import { fitsBytes } from '../../lib/clean-text.ts';
import { byText } from '../../lib/compare-text.ts';
import type { Reason } from '../reasons/reasons.ts';

/** Of transitions without a condition of their own, and of those that need no attention although a condition shows them. */
const types = {
  DriftDetected: 'Normal',
  DriftCorrected: 'Normal',
  AlertDeactivated: 'Warning',
  DeactivatedByOthers: 'Warning',
  WaitingForWindow: 'Normal',
  DismissalEnding: 'Normal',
  DismissalExpired: 'Normal',
  DeclarationGone: 'Normal',
  DismissalDropped: 'Warning',
  DismissalsAbandoned: 'Warning',
  IncidentsResolved: 'Normal',
  NewIncidents: 'Warning',
  SuspensionEnded: 'Normal',
  StatusNotWritten: 'Warning',
  ConnectionRestored: 'Normal',
} as const satisfies Readonly<Record<string, EventDraft['type']>>;

/** The reason of the condition that shows the transition, wherever there is one. */
export type EventReason = Reason | keyof typeof types;

export interface EventDraft {
  readonly type: 'Normal' | 'Warning';
  readonly reason: EventReason;
  /** What the operator did or tried, in CamelCase. */
  readonly action: 'Reconcile' | 'Activate' | 'Deactivate' | 'Connect';
  readonly note: string;
}

export function eventOf(reason: EventReason, note: string, action: EventDraft['action'] = 'Reconcile'): EventDraft {
  return { type: typeOf({ reason }), reason, action, note };
}

/** What one reconcile found about one alert. */
export interface Finding extends Partial<Pick<EventDraft, 'type' | 'action'>> {
  /** The name of the alert, with details in parentheses if the note gives any. */
  readonly alert: string;
  readonly reason: EventReason;
  /** With `{alerts}` where the names belong, and `{one|several}` where the words depend on their number. */
  readonly sentence: string;
}

/** One event for each reason, in the order of the first finding. Alerts of the same sentence share it. */
export function joinFindings(findings: readonly Finding[]): EventDraft[] {
  return [...Map.groupBy(findings, ({ reason }) => reason).values()].map(joined);
}

function joined(findings: readonly Finding[]): EventDraft {
  const [{ reason, action }] = findings as readonly [Finding, ...Finding[]];
  return {
    type: findings.some((finding) => typeOf(finding) === 'Warning') ? 'Warning' : 'Normal',
    reason,
    action: (findings.every((finding) => finding.action === action) && action) || 'Reconcile',
    note: noteOf(findings),
  };
}

function typeOf({ reason, type }: Pick<Finding, 'reason' | 'type'>): EventDraft['type'] {
  return type ?? (reason in types ? types[reason as keyof typeof types] : 'Warning');
}

/** As many events as it takes to name every alert of findings with one sentence. */
export function namingAll(findings: readonly Finding[]): EventDraft[] {
  const isWhole =
    findings.length <= 1 ||
    (findings.length <= nameLimit && fitsBytes(sentenceOf(findings, nameLimit), noteLimitBytes));
  if (isWhole) return joinFindings(findings);
  const middle = Math.ceil(findings.length / 2);
  return [findings.slice(0, middle), findings.slice(middle)].flatMap(namingAll);
}

/** The limit of the API server for a note, in bytes. The recorder truncates what is longer. */
const noteLimitBytes = 1024;
/** How many alerts a sentence names. */
export const nameLimit = 5;

/** Names at most five alerts in each sentence, and fewer when the note would be too long for the API server. */
function noteOf(findings: readonly Finding[]): string {
  const groups = [...Map.groupBy(findings, ({ sentence }) => sentence).values()];
  let note = '';
  for (let limit = nameLimit; limit > 0; limit--) {
    note = groups.map((group) => sentenceOf(group, limit)).join(' ');
    if (fitsBytes(note, noteLimitBytes)) break;
  }
  return note;
}

function sentenceOf(findings: readonly Finding[], limit: number): string {
  const [{ sentence }] = findings as readonly [Finding, ...Finding[]];
  const byAlert = Map.groupBy(findings, ({ alert }) => alert);
  const names = [...byAlert.keys()].sort(byText).map((name) => name + timesOf(byAlert.get(name)?.length ?? 1));
  return sentence
    .replaceAll(/\{([^{|}]*)\|([^{|}]*)\}/g, (_, one: string, several: string) => (names.length === 1 ? one : several))
    .replace('{alerts}', () => joinNames(names, limit));
}

/** Several corrections of one alert wait for one status while the API server is away. */
function timesOf(count: number): string {
  return count === 1 ? '' : ` (${count} times)`;
}

/** `A`, `A and B`, `A, B and C`, `A, B and 7 more`. */
export function joinNames(names: readonly string[], limit: number): string {
  const shown = names.slice(0, limit);
  const last = names.length > limit ? `${names.length - limit} more` : shown.pop();
  return shown.length === 0 ? `${last}` : `${shown.join(', ')} and ${last}`;
}
