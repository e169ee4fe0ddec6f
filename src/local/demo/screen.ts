// The live table in a terminal, with the newest timeline entries below it and permanent lines above it. It uses cursor movements only, so
// that a killed demo leaves the terminal in a normal state.
import { systemClock, type Timer } from '../../lib/clock.ts';
import type { Output } from '../../lib/output.ts';
import { alignColumns, cutLine } from '../../lib/terminal-text.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import type { DemoWatch } from './demo-cluster.ts';
import { type Sample, samples } from './samples.ts';
import { conditionText } from './scenario.ts';
import { createTimeFormat, renderTimeline, type TimeFormat, type TimelineEntry } from './timeline.ts';

export interface Screen {
  /** Adds a permanent line above the table. */
  print(line: string): void;
  /** Removes the table. */
  stop(): void;
}

const redrawMs = 200;
const mostTimelineLines = 8;
const leastTimelineLines = 3;
/** Lines for what is printed above the table, if there is room. */
const storyLines = 4;

export function startScreen(watch: DemoWatch, out: Output): Screen {
  const timeOf = createTimeFormat(undefined);
  const frame = createFrame({
    write: (text) => out.write(text),
    size: () => ({ columns: out.columns, rows: out.rows }),
  });
  let timer: Timer | undefined;
  const show = () => frame.show(screenLines(watch, out, timeOf));
  const draw = () => {
    show();
    timer = systemClock.setTimer(redrawMs, draw);
  };
  draw();
  return {
    print(line) {
      frame.print(line);
      // A line often announces a change, so redraw the table at once.
      show();
    },
    stop() {
      timer?.cancel();
      frame.clear();
    },
  };
}

function screenLines(watch: DemoWatch, { columns, rows }: Output, timeOf: TimeFormat): readonly string[] {
  const entries = watch.entries();
  const top = ['', ...renderTable(tableRows(watch), columns, timeOf), '', 'EVENTS'];
  const lines = Math.min(mostTimelineLines, Math.max(leastTimelineLines, rows - top.length - 3 - storyLines));
  return [...top, ...renderTimeline(entries, { lines, columns }, timeOf), '', 'Ctrl-C stops everything.'];
}

/** The rows of the current state. */
export function tableRows(watch: DemoWatch): readonly TableRow[] {
  const entries = watch.entries();
  return samples.map((sample) => ({
    sample,
    policy: watch.policy(sample.name),
    last: entries.findLast(({ object }) => object === sample.name),
  }));
}

/** The data of one row. */
interface TableRow {
  readonly sample: Sample;
  readonly policy: RoleAlertPolicy | undefined;
  /** The newest event; undefined when there is none. */
  readonly last: TimelineEntry | undefined;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

const wideColumns = 120;

/** A row for each sample with kubectl's columns and, in a wide terminal, its purpose and its last event. Lines of at most `columns` characters. */
export function renderTable(rows: readonly TableRow[], columns: number, timeOf: TimeFormat): readonly string[] {
  const narrow = [['NAME', 'READY', 'REASON', 'IN-SYNC', 'INCIDENTS'], ...rows.map(stateCells)];
  const details = [['SHOWS', 'LAST'], ...rows.map(({ sample, last }) => [sample.shows, lastText(last, timeOf)])];
  const wide = narrow.map(([name = '', ...state], index) => {
    const [shows = '', last = ''] = details[index] ?? [];
    return [name, shows, ...state, last];
  });
  const lines = alignColumns(columns < wideColumns ? narrow : wide, '  ');
  return lines.map((line) => cutLine(line, columns));
}

function lastText(last: TimelineEntry | undefined, timeOf: TimeFormat): string {
  return last === undefined ? '-' : `${timeOf(last.atMs)} ${last.reason}`;
}

function stateCells({ sample, policy }: TableRow): readonly string[] {
  const [ready = '', reason = ''] = (conditionText(policy, 'Ready') ?? '/').split('/');
  const { inSyncText = '', incidents = '' } = policy?.status?.summary ?? {};
  return [sample.name, ready, reason, inSyncText, String(incidents)];
}

export interface FrameTerminal {
  write(text: string): void;
  /** The current size; it changes with the window. */
  size(): TerminalSize;
}

/** A block of lines at the bottom of a terminal that is redrawn in place. */
export interface Frame {
  /** Replaces the block. Writes nothing when it is unchanged. Omits the last lines that exceed the terminal's height. */
  show(lines: readonly string[]): void;
  /** Adds a permanent line of any length above the block. */
  print(line: string): void;
  /** Removes the block. */
  clear(): void;
}

const eraseBelow = '\u001b[J';

export function createFrame(terminal: FrameTerminal): Frame {
  let shown: readonly string[] = [];
  let drawnIn = terminal.size();
  const erase = () => {
    const { columns } = terminal.size();
    // A window that became narrower has wrapped the drawn lines.
    const height = shown.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
    return height === 0 ? '' : `\r\u001b[${height}A${eraseBelow}`;
  };
  const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
  return {
    show(lines) {
      const size = terminal.size();
      // The cursor needs the line below the block.
      const next = lines.slice(0, Math.max(size.rows - 1, 0));
      const isSame = next.length === shown.length && next.every((line, index) => line === shown[index]);
      if (isSame && size.columns === drawnIn.columns && size.rows === drawnIn.rows) return;
      terminal.write(erase() + text(next));
      shown = next;
      drawnIn = size;
    },
    print(line) {
      terminal.write(`${erase()}${line}\n${text(shown)}`);
    },
    clear() {
      terminal.write(erase());
      shown = [];
    },
  };
}
