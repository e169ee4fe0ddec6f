// The live table in a terminal, with the newest timeline entries below it and permanent lines above it.
import { systemClock, type Timer } from '../lib/clock.ts';
import type { Output } from '../lib/output.ts';
import { createFrame } from './frame.ts';
import { samples } from './samples.ts';
import { renderTable } from './table.ts';
import { createTimeFormat, renderTimeline } from './timeline.ts';
import type { DemoWatch } from './watch.ts';

export interface Screen {
  /** Adds a permanent line above the table. */
  print(line: string): void;
  /** Removes the table. */
  stop(): void;
}

const redrawMs = 200;
const mostTimelineLines = 8;
const leastTimelineLines = 3;

export function startScreen(watch: DemoWatch, out: Output): Screen {
  const timeOf = createTimeFormat(undefined);
  const frame = createFrame({
    write: (text) => out.write(text),
    size: () => ({ columns: out.columns, rows: out.rows }),
  });
  let timer: Timer | undefined;
  const draw = () => {
    frame.show(screenLines(watch, out, timeOf));
    timer = systemClock.setTimer(redrawMs, draw);
  };
  draw();
  return {
    print(line) {
      frame.print(line);
      // A line often announces a change, so redraw the table at once.
      frame.show(screenLines(watch, out, timeOf));
    },
    stop() {
      timer?.cancel();
      frame.clear();
    },
  };
}

function screenLines(watch: DemoWatch, out: Output, timeOf: (atMs: number) => string): readonly string[] {
  const entries = watch.entries();
  const { columns } = out;
  const rows = samples.map((sample) => ({
    sample,
    policy: watch.policy(sample.name),
    last: entries.findLast(({ policy }) => policy === sample.name),
  }));
  const table = ['', ...renderTable(rows, columns, timeOf), ''];
  const lines = Math.min(mostTimelineLines, Math.max(leastTimelineLines, out.rows - table.length - 3));
  return [...table, ...renderTimeline(entries, { lines, columns }, timeOf), '', 'Ctrl-C stops everything.'];
}
