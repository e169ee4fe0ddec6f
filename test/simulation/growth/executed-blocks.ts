// Counts how often each block of src/ runs, by V8's precise coverage: it finds every loop, also one that no test foresaw. Loops
// inside V8's own functions, such as a spread, are not code of src/; walked-collections.ts counts those.
import { readFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';

/** How often each block ran, by function; only functions that ran. */
export type Executed = ReadonlyMap<string, readonly Profiler.CoverageRange[]>;

const source = new URL('../../../src/', import.meta.url).href;

export class ExecutedBlocks {
  readonly #session = new Session();

  /** Call it before any module of src/ is loaded: functions that were compiled before have no counters. */
  start(): void {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** What ran since the last call. */
  take(): Executed {
    const executed = new Map<string, readonly Profiler.CoverageRange[]>();
    this.#session.post('Profiler.takePreciseCoverage', (error, answer) => {
      if (error) throw error;
      for (const { url, functions } of answer.result) {
        if (!url.startsWith(source)) continue;
        for (const { functionName, ranges } of functions) {
          const [whole] = ranges;
          if (whole && whole.count > 0) executed.set(`${url} ${whole.startOffset} ${functionName}`, ranges);
        }
      }
    });
    return executed;
  }
}

/** A block that ran more often, or a collection that was walked further, the more there was elsewhere. */
export interface Grown {
  /** The file, the line and the function. */
  readonly where: string;
  readonly few: number;
  readonly many: number;
}

/** The blocks that ran at least `least` times more often in `many` than in `few`. */
export function grownBlocks(few: Executed, many: Executed, least: number): Grown[] {
  return [...many].flatMap(([key, ranges]) => {
    const before = few.get(key) ?? [];
    return ranges.flatMap((range) => {
      const count = countAt(before, range.startOffset, range.endOffset);
      return range.count - count >= least
        ? [{ where: placeOf(key, range.startOffset), few: count, many: range.count }]
        : [];
    });
  });
}

/** V8 leaves out a block that ran as often as the block around it. */
function countAt(ranges: readonly Profiler.CoverageRange[], start: number, end: number): number {
  const around = ranges.filter(({ startOffset, endOffset }) => startOffset <= start && end <= endOffset);
  return around.at(-1)?.count ?? 0;
}

function placeOf(key: string, offset: number): string {
  const [url = '', , name = ''] = key.split(' ');
  const line = readFileSync(new URL(url), 'utf8').slice(0, offset).split('\n').length;
  return `src/${url.slice(source.length)}:${line} ${name || 'anonymous'}`;
}
