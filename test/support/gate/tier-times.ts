// A Vitest reporter: at the end of a run it prints the time that each tier took, and the slowest files. CPU times include the programs
// that a file started, but not the servers of a global set-up.
import type { Reporter, TestModule } from 'vitest/node';

import { tierOf } from './tiers.ts';

interface FileTime {
  readonly tier: string;
  readonly path: string;
  readonly tests: number;
  readonly beganMs: number;
  readonly endedMs: number;
  readonly cpuSeconds: number;
}

const slowest = 10;

export class TierTimes implements Reporter {
  readonly #began = new Map<string, number>();
  readonly #files: FileTime[] = [];

  onTestModuleQueued({ id }: TestModule): void {
    this.#began.set(id, performance.now());
  }

  onTestModuleEnd(file: TestModule): void {
    const endedMs = performance.now();
    this.#files.push({
      tier: tierOf(file.moduleId),
      path: file.relativeModuleId,
      tests: [...file.children.allTests()].length,
      beganMs: this.#began.get(file.id) ?? endedMs,
      endedMs,
      cpuSeconds: file.meta().cpuSeconds ?? 0,
    });
  }

  onTestRunEnd(): void {
    for (const line of renderTierTimes(this.#files)) console.log(line);
  }
}

/** Tiers in the order in which they began; the wall time of a tier is from the begin of its first file to the end of its last. */
export function renderTierTimes(files: readonly FileTime[]): readonly string[] {
  const tiers = Map.groupBy(
    files.toSorted((a, b) => a.beganMs - b.beganMs),
    ({ tier }) => tier,
  );
  const rows = [...tiers].map(([tier, of]) => rowOf(tier, of));
  const bySpan = files.toSorted((a, b) => spanMs(b) - spanMs(a)).slice(0, slowest);
  return [
    '',
    `${'tier'.padEnd(16)}${cells('files', 'tests', 'wall s', 'CPU s')}`,
    ...rows,
    rowOf('all', files),
    '',
    `${'slowest files'.padEnd(60)}${cells('wall s', 'CPU s')}`,
    ...bySpan.map((file) => `${file.path.padEnd(60)}${cells(seconds(spanMs(file)), file.cpuSeconds.toFixed(1))}`),
  ];
}

function rowOf(name: string, files: readonly FileTime[]): string {
  const began = Math.min(...files.map(({ beganMs }) => beganMs));
  const ended = Math.max(...files.map(({ endedMs }) => endedMs));
  const tests = files.reduce((sum, file) => sum + file.tests, 0);
  const cpu = files.reduce((sum, file) => sum + file.cpuSeconds, 0);
  return `${name.padEnd(16)}${cells(files.length, tests, seconds(Math.max(0, ended - began)), cpu.toFixed(1))}`;
}

const spanMs = ({ beganMs, endedMs }: FileTime) => endedMs - beganMs;
const seconds = (ms: number) => (ms / 1000).toFixed(1);
const cells = (...values: readonly (string | number)[]) => values.map((value) => String(value).padStart(9)).join('');
