// Each edit with its number, the random sample of them, and the cases that may notice one, the most specific first.
import { createHash } from 'node:crypto';

import type { Edit } from './edits.ts';
import { importsOf, type MutatedFile, tierOf } from './project.ts';
import type { RecordedCase } from './worker-process.ts';

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

/**
 * `size` edits, each folder with its share and at least one. The seed decides, together with the name of the edit, so that most of a
 * sample stays the same when sources change. With as many edits or fewer, all of them in the order of the text.
 */
export function sampleOf(mutants: readonly Mutant[], size: number, seed: string): Mutant[] {
  if (mutants.length <= size) return [...mutants];
  const drawn = [
    ...Map.groupBy(mutants, ({ file }) => file.path.split('/').slice(0, -1).slice(0, 3).join('/')).values(),
  ];
  const share = (part: readonly Mutant[]) => Math.max(1, Math.round((size * part.length) / mutants.length));
  return shuffled(
    drawn.flatMap((part) => shuffled(part, seed).slice(0, share(part))),
    seed,
  );
}

function shuffled(mutants: readonly Mutant[], seed: string): Mutant[] {
  const places = new Map(mutants.map((mutant) => [mutant, hashOf(seed, mutant.key)]));
  const place = (mutant: Mutant) => places.get(mutant) ?? '';
  return mutants.toSorted((one, other) => (place(one) < place(other) ? -1 : 1));
}

function hashOf(...texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text).update('\0');
  return hash.digest('hex').slice(0, 16);
}

/** How the tests went without any edit. */
export interface Recording {
  readonly cases: readonly RecordedCase[];
  /** Edits that the sources execute by themselves, when they are imported. */
  readonly importedIds: readonly number[];
  /** By test file: edits that are executed while its cases are collected, besides those. */
  readonly collectedIds: ReadonlyMap<string, readonly number[]>;
}

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
  const imported = new Set(recording.importedIds);
  return ({ id, file }) => {
    const direct = recording.cases.filter(({ ids }) => ids.includes(id));
    if (imported.has(id)) {
      const cases = [...new Set([...direct, ...casesAround(recording, files, file)])].toSorted(byPower);
      return { importedAnew: [...new Set(cases.map((each) => each.file))], cases };
    }
    const importedAnew = [...recording.collectedIds].flatMap(([test, ids]) => (ids.includes(id) ? [test] : []));
    const collected = recording.cases.filter((each) => importedAnew.includes(each.file));
    return { importedAnew, cases: [...new Set([...direct, ...collected])].toSorted(byPower) };
  };
}

const tiers = ['unit', 'property', 'contract', 'simulation'];

function byPower(one: RecordedCase, other: RecordedCase): number {
  return tiers.indexOf(tierOf(one.file)) - tiers.indexOf(tierOf(other.file)) || one.cpuMs - other.cpuMs;
}

function casesAround({ cases }: Recording, files: readonly MutatedFile[], file: MutatedFile): RecordedCase[] {
  const direct = files.filter(({ path }) => importsOf(path).includes(file.path));
  const indirect = files.filter(({ path }) => direct.some((each) => importsOf(path).includes(each.path)));
  const near = [...new Set([file, ...direct, ...indirect])];
  const isNear = (id: number) => near.some(({ firstId, edits }) => id >= firstId && id < firstId + edits.length);
  const isTestOfIt = (test: string) => importsOf(test).some((path) => near.some((each) => each.path === path));
  return cases.filter(({ ids, file: test }) => (ids.length === 0 ? isTestOfIt(test) : ids.some(isNear)));
}
