// The timeline: the Kubernetes events of the demo's namespace, the ones that `kubectl get events` shows, rendered for a terminal.
import { cleanText } from '../../lib/clean-text.ts';
import { wrapText } from '../../lib/terminal-text.ts';
import { parseMicroTime } from '../../lib/timestamp.ts';

export interface TimelineEntry {
  /** Wall time, with microseconds as thousandths. */
  readonly atMs: number;
  /** Name of the policy or connection. */
  readonly object: string;
  readonly reason: string;
  readonly note: string;
}

/** The members of an Event that the timeline shows. */
export interface TimelineEvent {
  readonly eventTime?: string | null;
  readonly reason?: string;
  readonly note?: string;
  readonly regarding?: { readonly name?: string };
}

/** `nowMs` is the time of an event that has none. */
export function entryOf({ eventTime, reason = '', note = '', regarding }: TimelineEvent, nowMs: number): TimelineEntry {
  const atMs = parseMicroTime(eventTime ?? '');
  return {
    atMs: Number.isNaN(atMs) ? nowMs : atMs,
    object: cleanText(regarding?.name ?? ''),
    reason: cleanText(reason),
    note: cleanText(note, 1024),
  };
}

/** Formats a time of day. */
export type TimeFormat = (atMs: number) => string;

/** The format `14:03:59`; `timeZone` undefined means the machine's time zone. */
export function createTimeFormat(timeZone: string | undefined): TimeFormat {
  const format = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone });
  return (atMs) => format.format(atMs);
}

/** By time: the operator gives a cause an earlier microsecond than its consequence, in whichever order their events arrive. */
export function compareEntries(one: TimelineEntry, other: TimelineEntry): number {
  return one.atMs - other.atMs;
}

/** One line of any length: `14:03:59  corrected     DriftCorrected: Alert …`. */
export function renderEntry({ atMs, object, reason, note }: TimelineEntry, timeOf: TimeFormat): string {
  return `${timeOf(atMs)}  ${object.padEnd(objectWidth)}  ${reason}: ${note}`;
}

const objectWidth = 12;
const indent = ' '.repeat(8 + 2 + objectWidth + 2);

/** The newest entries that fit into the given lines and columns, the newest last. Never cuts an entry. */
export function renderTimeline(
  entries: readonly TimelineEntry[],
  room: { readonly lines: number; readonly columns: number },
  timeOf: TimeFormat,
): readonly string[] {
  // Further lines begin below the text of the first if there is enough room.
  const hanging = room.columns > 2 * indent.length ? indent : '  ';
  let shown: readonly string[] = [];
  for (const entry of [...entries].reverse()) {
    const lines = [...wrapText(renderEntry(entry, timeOf), room.columns, hanging), ...shown];
    if (lines.length > room.lines) break;
    shown = lines;
  }
  return shown;
}
