// A Vitest reporter: at the end of a run it prints the time that each tier took, and the slowest files. CPU times include the programs
// that a file started, but not the servers of a global set-up. A run of all tiers fails when one of them takes more than twice its usual
// CPU time next to the others, whatever the machine.
import type { Reporter, TestModule } from 'vitest/node';

import { tierOf } from './tiers.ts';

export interface FileTime {
  readonly tier: string;
  readonly path: string;
  readonly tests: number;
  readonly beganMs: number;
  readonly endedMs: number;
  readonly cpuSeconds: number;
}

const slowest = 10;

/** CPU seconds of each tier of the gate. */
export type UsualSeconds = Readonly<Record<string, number>>;

export class TierTimes implements Reporter {
  readonly #usual: UsualSeconds;
  readonly #began = new Map<string, number>();
  readonly #files: FileTime[] = [];

  /** `usual`: empty for runs of other tests than those of the gate. */
  constructor(usual: UsualSeconds) {
    this.#usual = usual;
  }

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
    const slower = slowerTiers(this.#files, this.#usual);
    for (const line of slower) console.error(line);
    if (slower.length > 0) process.exitCode = 1;
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

const tolerated = 2;

/**
 * A line for each tier that took more than twice its usual CPU time, measured by what all others took. Empty unless every tier ran: an
 * excerpt has no usual time. A tier whose programs are missing takes less.
 */
export function slowerTiers(files: readonly FileTime[], usual: UsualSeconds): readonly string[] {
  const tiers = Object.keys(usual);
  const taken = (of: (tier: string) => boolean) =>
    files.reduce((sum, { tier, cpuSeconds }) => sum + (of(tier) ? cpuSeconds : 0), 0);
  if (tiers.some((tier) => !files.some((file) => file.tier === tier))) return [];
  return tiers.flatMap((tier) => {
    const others = tiers.reduce((sum, each) => sum + (each === tier ? 0 : (usual[each] ?? 0)), 0);
    const expected = ((usual[tier] ?? 0) * taken((each) => each !== tier)) / others;
    const own = taken((each) => each === tier);
    if (own <= tolerated * expected) return [];
    return [`${tier} took ${own.toFixed(1)} s of CPU; ${expected.toFixed(1)} s are usual next to the other tiers`];
  });
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
