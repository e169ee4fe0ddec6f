// Shows the progress of a long step: one updated line in a terminal, a line from time to time elsewhere.

import type { Clock } from '../lib/clock.ts';
import { formatDuration } from '../lib/duration.ts';
import { eraseLine } from '../lib/output.ts';

interface Step {
  /** The step, as the start of a line: `building the control plane from Go modules`. */
  readonly name: string;
  readonly unit: 'packages' | 'modules' | 'bytes';
}

export interface Progress {
  /** Prints a separate line. */
  print(line: string): void;
  /** Reports progress of `step`. `total` is undefined while unknown. May be called often; the output is rate limited. */
  advance(step: Step, done: number, total: number | undefined): void;
}

export interface ProgressSink {
  readonly clock: Clock;
  /** True where a step may be one line that is redrawn. */
  readonly canRedraw: boolean;
  write(text: string): void;
}

const redrawMs = 100;
const plainLineMs = 10_000;
const plainLinePercent = 10;

/** Progress on a stream. In a terminal a step uses one line; elsewhere it prints a line every 10 seconds or 10 percent. */
export function createProgress(sink: ProgressSink): Progress {
  let shown = { step: '', atMs: 0, percent: 0 };
  let lineIsOpen = false;
  const closeLine = () => {
    if (lineIsOpen) sink.write(eraseLine);
    lineIsOpen = false;
  };
  const isDue = (step: Step, percent: number, nowMs: number) => {
    if (shown.step !== step.name) return true;
    if (sink.canRedraw) return nowMs - shown.atMs >= redrawMs || percent === 100;
    return nowMs - shown.atMs >= plainLineMs || percent - shown.percent >= plainLinePercent;
  };
  return {
    print(line) {
      closeLine();
      sink.write(`${line}\n`);
    },
    advance(step, done, total) {
      const percent = percentOf(done, total);
      const nowMs = sink.clock.monotonic();
      if (!isDue(step, percent, nowMs)) return;
      shown = { step: step.name, atMs: nowMs, percent };
      const line = renderStep(step, done, total);
      sink.write(sink.canRedraw ? `${eraseLine}${line}` : `${line}\n`);
      lineIsOpen = sink.canRedraw;
    },
  };
}

/** `building: 312 of 2715 packages (11 %)`. */
export function renderStep(step: Step, done: number, total: number | undefined): string {
  if (total === undefined) return `${step.name}: ${amount(step, done)} ${unitOf(step)}`;
  return `${step.name}: ${amount(step, done)} of ${amount(step, total)} ${unitOf(step)} (${percentOf(done, total)} %)`;
}

/** A rounded duration: `412ms`, `3.1s`, `4m12s`. */
export function renderTaken(durationMs: number): string {
  if (durationMs < 1000) return formatDuration(Math.round(durationMs));
  return formatDuration(
    durationMs < 60_000 ? Math.round(durationMs / 100) * 100 : Math.round(durationMs / 1000) * 1000,
  );
}

function percentOf(done: number, total: number | undefined): number {
  return total === undefined || total === 0 ? 0 : Math.min(100, Math.floor((done * 100) / total));
}

function amount(step: Step, value: number): string {
  return step.unit === 'bytes' ? (value / 1_048_576).toFixed(1) : String(value);
}

function unitOf(step: Step): string {
  return step.unit === 'bytes' ? 'MiB' : step.unit;
}
