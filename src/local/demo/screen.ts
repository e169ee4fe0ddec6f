// The live table in a terminal, with the newest timeline entries below it and permanent lines above it.
import { systemClock, type Timer } from '../../lib/clock.ts';
import type { Output } from '../../lib/output.ts';
import { renderStep, type Progress } from '../progress.ts';
import { createFrame } from './frame.ts';
import { samples } from './samples.ts';
import { renderTable } from './table.ts';
import { createTimeFormat, renderTimeline } from './timeline.ts';
import type { DemoWatch } from './watch.ts';

export interface Screen {
  /** Adds a permanent line above the table. */
  print(line: string): void;
  /** For work in the background: its lines above the table, its current step below. */
  readonly progress: Progress;
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
  let step = '';
  const show = () => frame.show([...screenLines(watch, out, timeOf), ...footer(step, out.columns)]);
  const draw = () => {
    show();
    timer = systemClock.setTimer(redrawMs, draw);
  };
  const print = (line: string) => {
    frame.print(line);
    // A line often announces a change, so redraw the table at once.
    show();
  };
  draw();
  return {
    print,
    progress: {
      print(line) {
        step = '';
        print(line);
      },
      // The next redraw shows it.
      advance: (...facts) => void (step = renderStep(...facts)),
    },
    stop() {
      timer?.cancel();
      frame.clear();
    },
  };
}

function screenLines(watch: DemoWatch, out: Output, timeOf: (atMs: number) => string): readonly string[] {
  const entries = watch.entries();
  const { columns, rows: height } = out;
  const rows = samples.map((sample) => ({
    sample,
    policy: watch.policy(sample.name),
    last: entries.findLast(({ object }) => object === sample.name),
  }));
  const table = ['', ...renderTable(rows, { columns, rows: height }, timeOf), '', 'EVENTS'];
  const lines = Math.min(mostTimelineLines, Math.max(leastTimelineLines, height - table.length - 3 - storyLines));
  return [...table, ...renderTimeline(entries, { lines, columns }, timeOf), ''];
}

function footer(step: string, columns: number): readonly string[] {
  const lines = ['Ctrl-C stops everything.'];
  return step === '' ? lines : [`In the background: ${step}`.slice(0, columns), ...lines];
}
