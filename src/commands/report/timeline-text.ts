// The timeline as text for a terminal or a pipe.
import { cleanText } from '../../lib/clean-text.ts';
import { alignColumns, alignSentences, cutLine } from '../../lib/columns.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import type { TimelineChange, TimelineKind } from './timeline-change.ts';
import type { Timeline } from './timeline.ts';

export interface TimelineTextOptions {
  /** The width of a terminal, in which a sentence continues on further lines; 0 for a pipe, whose lines have any length. */
  readonly columns: number;
  /** Also shows the scope and the reason of dismissals, and every change of windows. */
  readonly isWide: boolean;
}

/** What changes, in words. */
export const changeWords: Readonly<Record<TimelineKind, string>> = {
  DismissalEnds: 'dismissal ends',
  DismissalAllowed: 'dismissal allowed',
  SuspensionEnds: 'suspension ends',
  WindowsOpen: 'windows open',
  WindowsClose: 'windows close',
};

/** Changes of one combination of windows beyond this number are counted. */
const shownOfWindows = 4;

export function timelineText(timeline: Timeline, { columns, isWide }: TimelineTextOptions): string {
  const { fromMs, untilMs, entries, notes } = timeline;
  const shown = isWide ? entries : withoutRepetition(entries);
  const rows = shown.map((entry) => rowOf(entry, fromMs, isWide));
  const head = ['TIME', 'IN', 'WHAT', 'OBJECT', 'EFFECT', ...(isWide ? ['SCOPE', 'REASON'] : [])];
  const period = `From ${formatTimestamp(fromMs)} to ${formatTimestamp(untilMs)}`;
  const table = [head, ...rows];
  const isWrapped = columns > 0 && !isWide;
  const aligned = isWrapped ? alignSentences(table, columns) : alignColumns(table);
  const lines = rows.length === 0 ? [`${period}: no change`] : [period, '', ...aligned];
  const left = entries.length - shown.length;
  const more = left > 0 ? [`… and ${left} more changes of correction windows; --output wide lists them`] : [];
  const fitted = columns === 0 ? lines : lines.map((line) => cutLine(line, columns));
  const remarks = notes.length === 0 ? [] : ['', ...notes.map((note) => cleanText(note, 1024))];
  return `${[...fitted, ...more, ...remarks].join('\n')}\n`;
}

/** The first changes of each combination of windows, and everything else. */
export function withoutRepetition(entries: readonly TimelineChange[]): readonly TimelineChange[] {
  const counts = new Map<number, number>();
  return entries.filter(({ windows }) => {
    if (windows === undefined) return true;
    const count = (counts.get(windows) ?? 0) + 1;
    counts.set(windows, count);
    return count <= shownOfWindows;
  });
}

function rowOf(entry: TimelineChange, fromMs: number, isWide: boolean): readonly string[] {
  const { atMs, kind, object, effect, scope = '', reason = '' } = entry;
  const cells = [formatTimestamp(atMs), timeLeft(atMs - fromMs), changeWords[kind], object, effect];
  return [...cells, ...(isWide ? [scope, reason] : [])].map((cell) => cleanText(cell, 512));
}

/** Rounded down, as kubectl shows ages: `45m`, `36h`, `12d`. */
function timeLeft(leftMs: number): string {
  const minutes = Math.floor(leftMs / 60_000);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}
