// Which test file notices which edit: what a set of test files would still notice can be read from it.
import { keep, kept } from './kept-files.ts';
import type { RecordedCase } from './orders.ts';
import type { Recording } from './recording.ts';
import { type Judged, placeOf, textOf } from './report.ts';

interface TestFile {
  readonly file: string;
  /** Of the processor, without any edit. */
  readonly cpuMs: number;
  readonly noticed: number;
  /** Noticed by no other. */
  readonly alone: number;
}

interface Matrix {
  /** That notices most first. */
  readonly tests: readonly TestFile[];
  readonly edits: readonly {
    readonly place: string;
    readonly edit: string;
    readonly killers: readonly string[];
  }[];
}

export function matrixOf(judged: readonly Judged[], cases: readonly Pick<RecordedCase, 'file' | 'cpuMs'>[]): Matrix {
  const edits = judged.map(({ mutant, verdict }) => ({
    place: placeOf(mutant),
    edit: `${mutant.edit.kind}: ${textOf(mutant)}`,
    killers: verdict.result === 'killed' ? (verdict.killers ?? []) : [],
  }));
  const tests = [...Map.groupBy(cases, ({ file }) => file)].map(([file, ofFile]): TestFile => {
    const noticed = edits.filter(({ killers }) => killers.includes(file));
    return {
      file,
      cpuMs: Math.round(ofFile.reduce((sum, each) => sum + each.cpuMs, 0)),
      noticed: noticed.length,
      alone: noticed.filter(({ killers }) => killers.length === 1).length,
    };
  });
  return { tests: tests.toSorted((one, other) => other.noticed - one.noticed), edits };
}

/** Keeps the matrix as NAME-matrix.json, and prints one line for each test file. */
export function printKillers(name: string, judged: readonly Judged[]): void {
  const { cases = [] } = (kept(`${name}-cases`) ?? {}) as Partial<Recording>;
  const matrix = matrixOf(judged, cases);
  keep(`${name}-matrix`, matrix);
  for (const { file, cpuMs, noticed, alone } of matrix.tests)
    console.log(`  ${file}: ${noticed} of ${judged.length} edits, ${alone} alone; ${cpuMs} ms`);
  console.log(`  edit by edit: .rolealerts/mutation/${name}-matrix.json`);
}
