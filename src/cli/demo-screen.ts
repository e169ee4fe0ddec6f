// The live table in a terminal: drawn over itself a few times a second, on the terminal's second screen, so that leaving it
// leaves the terminal as it was.
import { systemClock, type Timer } from '../lib/clock.ts';
import { samples } from '../local/demo/samples.ts';
import { type NextSteps, renderNextSteps, renderTable, renderTimeline } from '../local/demo/table.ts';
import type { Stage } from './demo-stage.ts';
import type { Host } from './host.ts';

const redrawMs = 250;
const timelineLines = 10;
const enter = '\u001b[?1049h\u001b[?25l';
const leave = '\u001b[?25h\u001b[?1049l';
const home = '\u001b[H';
const clearLine = '\u001b[K';
const clearBelow = '\u001b[J';

/** Draws until stopped. `step` is what the story is doing now. */
export function drawWhile(stage: Stage, host: Host, step: () => string, next: NextSteps): { stop(): void } {
  let timer: Timer | undefined;
  const draw = () => {
    host.out.write(`${home}${screenLines(stage, host, step(), next).join(`${clearLine}\n`)}${clearLine}${clearBelow}`);
    timer = systemClock.setTimer(redrawMs, draw);
  };
  host.out.write(enter);
  draw();
  return {
    stop() {
      timer?.cancel();
      host.out.write(leave);
    },
  };
}

/** Commands are never cut: a terminal wraps them, and they can be copied whole. */
function screenLines(stage: Stage, host: Host, step: string, next: NextSteps): readonly string[] {
  const { columns } = host.out;
  return [
    `rolealerts demo · ${step}`,
    '',
    ...renderTable(samples, (name) => stage.policy(name), columns),
    '',
    ...renderTimeline(stage.events(), timelineLines, columns),
    '',
    ...renderNextSteps(next),
    '',
    `log: ${stage.logFile} · Ctrl-C ends the demo and everything it started`,
  ];
}
