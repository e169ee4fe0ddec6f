// Each edit with its number, its name across runs, and the cases that may notice it, the most specific first.
import type { Edit } from './edits/edit.ts';
import { hashOf } from './kept-files.ts';
import type { RecordedCase } from './orders.ts';
import { importsOf, type MutatedFile, type Tier, tierOf } from './project.ts';
import type { Recording } from './recording.ts';

export interface Mutant {
  readonly id: number;
  readonly file: MutatedFile;
  readonly edit: Edit;
  /** The same edit of the same text has the same key, wherever in the file it is. */
  readonly key: string;
}

export function mutantsOf(files: readonly MutatedFile[]): Mutant[] {
  return files.flatMap((file) => {
    const seen = new Map<string, number>();
    return file.edits.map((edit, index) => {
      const text = `${file.path} ${edit.kind}: ${edit.before} => ${edit.after}`;
      const count = (seen.get(text) ?? 0) + 1;
      seen.set(text, count);
      return { id: file.firstId + index, file, edit, key: hashOf(text, String(count)) };
    });
  });
}

const tiers: readonly Tier[] = ['unit', 'property', 'contract', 'simulation'];

export interface Candidates {
  /** Test files that execute the edit at import. */
  readonly importedAnew: readonly string[];
  readonly cases: readonly RecordedCase[];
}

/**
 * Finds the cases that execute an edit. A test file that executes it while its cases are collected may check the outcome in any of
 * them. Of an edit that a source executes when it is imported, all cases count that execute what is near it.
 */
export function candidatesIn(recording: Recording, files: readonly MutatedFile[]): (mutant: Mutant) => Candidates {
  const byId = groupByIds(recording.cases.map((each) => [each, each.ids]));
  const collectors = groupByIds(Object.entries(recording.collectedIds));
  const imported = new Set(recording.importedIds);
  const around = casesAround(recording, files);
  return ({ id, file }) => {
    const direct = byId.get(id) ?? [];
    if (imported.has(id)) {
      const cases = [...new Set([...direct, ...around(file)])].toSorted(byPower);
      return { importedAnew: [...new Set(cases.map((each) => each.file))], cases };
    }
    const importedAnew = collectors.get(id) ?? [];
    const collected = recording.cases.filter((each) => importedAnew.includes(each.file));
    return { importedAnew, cases: [...new Set([...direct, ...collected])].toSorted(byPower) };
  };
}

function groupByIds<T>(entries: readonly (readonly [T, readonly number[]])[]): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const [value, ids] of entries) {
    for (const id of ids) {
      const group = groups.get(id);
      if (group) group.push(value);
      else groups.set(id, [value]);
    }
  }
  return groups;
}

function byPower(one: RecordedCase, other: RecordedCase): number {
  return tiers.indexOf(tierOf(one.file)) - tiers.indexOf(tierOf(other.file)) || one.cpuMs - other.cpuMs;
}

function casesAround(recording: Recording, files: readonly MutatedFile[]): (file: MutatedFile) => RecordedCase[] {
  const found = new Map<string, RecordedCase[]>();
  const isIn = (file: MutatedFile, id: number) => id >= file.firstId && id < file.firstId + file.edits.length;
  return (file) => {
    const known = found.get(file.path);
    if (known) return known;
    const direct = files.filter(({ path }) => importsOf(path).includes(file.path));
    const indirect = files.filter(({ path }) => direct.some((each) => importsOf(path).includes(each.path)));
    const near = [...new Set([file, ...direct, ...indirect])];
    const nearPaths = new Set(near.map(({ path }) => path));
    const isTestOfIt = (test: string) => importsOf(test).some((path) => nearPaths.has(path));
    const cases = recording.cases.filter((each) =>
      each.ids.length === 0 ? isTestOfIt(each.file) : each.ids.some((id) => near.some((one) => isIn(one, id))),
    );
    found.set(file.path, cases);
    return cases;
  };
}
