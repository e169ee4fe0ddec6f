// The live table in a terminal, with the newest timeline entries below it and permanent lines above it. It uses cursor movements only, so
// that a killed demo leaves the terminal in a normal state.
import { systemClock, type Timer } from '../../lib/clock.ts';
import type { Output } from '../../lib/output.ts';
import { alignColumns, cutLine } from '../../lib/terminal-text.ts';
import type { RoleAlertPolicy } from '../../policy/resources.ts';
import type { DemoWatch } from './demo-cluster.ts';
import { type Sample, samples } from './samples.ts';
import { conditionText } from './scenario.ts';
import { createTimeFormat, renderShort, renderTimeline, type TimeFormat, type TimelineEntry } from './timeline.ts';

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
  const table = samples.map((sample) => ({
    sample,
    policy: watch.policy(sample.name),
    last: entries.findLast(({ object }) => object === sample.name),
  }));
  const top = ['', ...renderTable(table, { columns, rows }, timeOf), '', 'EVENTS'];
  const lines = Math.min(mostTimelineLines, Math.max(leastTimelineLines, rows - top.length - 3 - storyLines));
  return [...top, ...renderTimeline(entries, { lines, columns }, timeOf), '', 'Ctrl-C stops everything.'];
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
/** From this height on there is room for two lines a sample. */
const highRows = 32;
const gap = '  ';

/**
 * A row for each sample with kubectl's columns, its purpose and its last event. A narrow terminal shows the last two in a second line if it is
 * high enough. Lines of at most `columns` characters.
 */
export function renderTable(rows: readonly TableRow[], size: TerminalSize, timeOf: TimeFormat): readonly string[] {
  const head = ['NAME', 'READY', 'REASON', 'IN-SYNC', 'INCIDENTS'];
  const cells = [head, ...rows.map(stateCells)];
  const details = rows.map((row) => [row.sample.shows, lastText(row, timeOf)] as const);
  const wide = () =>
    cells.map(([name = '', ...state], index) => {
      const [shows, last] = details[index - 1] ?? ['SHOWS', 'LAST'];
      return [name, shows, ...state, last];
    });
  const lines = alignColumns(size.columns < wideColumns ? cells : wide(), gap);
  const hasDetails = size.columns < wideColumns && size.rows >= highRows;
  const below = lines.map((_, index) => (hasDetails && index > 0 ? [`  ${details[index - 1]?.join(': ')}`] : []));
  return lines.flatMap((line, index) => [line].concat(below[index] ?? [])).map((line) => cutLine(line, size.columns));
}

function stateCells({ sample, policy }: TableRow): readonly string[] {
  const [ready = '', reason = ''] = (conditionText(policy, 'Ready') ?? '/').split('/');
  const { inSyncText = '', incidents = '' } = policy?.status?.summary ?? {};
  return [sample.name, ready, reason, inSyncText, String(incidents)];
}

/** Ready before the first status: the default of the schema. */
const pendingText = 'Unknown/Pending';

function lastText({ policy, last }: TableRow, timeOf: TimeFormat): string {
  if (last) return renderShort(last, timeOf);
  if ((conditionText(policy, 'Ready') ?? pendingText) === pendingText) return 'waiting for its first reconcile';
  return policy?.status?.summary?.missing ? 'not listed by service' : '-';
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
