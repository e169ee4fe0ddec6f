// The seeds that found the deliberate bugs, from bug-seeds.json: `npm run simulate:bugs` tries them first, and the gate runs them without
// the bugs.
import { readFile } from 'node:fs/promises';

import { deliberateBugs } from './bugs.ts';

export async function readBugSeeds(): Promise<Record<string, readonly number[]>> {
  return JSON.parse(await readFile(new URL('bug-seeds.json', import.meta.url), 'utf8')) as Record<
    string,
    readonly number[]
  >;
}

export interface SeedsOfBugs {
  /** Of bugs with a story. */
  readonly directed: readonly number[];
  readonly drawn: readonly number[];
}

export async function seedsOfBugs(): Promise<SeedsOfBugs> {
  const known = await readBugSeeds();
  const seedsWhere = (hasStory: boolean) =>
    new Set(
      deliberateBugs.filter(({ story }) => (story !== undefined) === hasStory).flatMap(({ name }) => known[name] ?? []),
    );
  return { directed: [...seedsWhere(true)], drawn: [...seedsWhere(false)] };
}
