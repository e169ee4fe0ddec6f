// A random sample of the edits, each folder with its share. The seed decides, together with the name of the edit, so that most of a sample
// stays the same when sources change.
import { hashOf } from './kept-files.ts';
import type { Mutant } from './mutants.ts';

/**
 * `size`: of all folders together; each has at least one. In the order in which they are drawn, so that an interrupted run is a sample
 * as well. With as many edits or fewer, all of them in the order of the text.
 */
export function sampleOf(mutants: readonly Mutant[], size: number, seed: string): Mutant[] {
  if (mutants.length <= size) return [...mutants];
  const drawn = [...Map.groupBy(mutants, ({ file }) => partOf(file.path)).values()].flatMap((part) =>
    shuffled(part, seed).slice(0, Math.max(1, Math.round((size * part.length) / mutants.length))),
  );
  return shuffled(drawn, seed);
}

function shuffled(mutants: readonly Mutant[], seed: string): Mutant[] {
  const places = new Map(mutants.map((mutant) => [mutant, hashOf(seed, mutant.key)]));
  const place = (mutant: Mutant) => places.get(mutant) ?? '';
  return mutants.toSorted((one, other) => (place(one) < place(other) ? -1 : 1));
}

/** `src/service/oauth` of `src/service/oauth/token/assertions.ts`, `src/service` of a file directly in it. */
export function partOf(path: string): string {
  return path.split('/').slice(0, -1).slice(0, 3).join('/');
}
