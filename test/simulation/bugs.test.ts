// The deliberate bugs are kept in step with the source that they change.
import { readFile } from 'node:fs/promises';

import { describe, expect, it } from 'vitest';

import { deliberateBugs } from './bugs.ts';
import { storyOf } from './scenarios/stories.ts';

const root = new URL('../..', import.meta.url);

describe('every deliberate bug', () => {
  it.each(deliberateBugs.map(({ name, behind = [], ...edit }) => [name, [edit, ...behind]] as const))(
    '%s: is one edit of the source as it is',
    async (_name, edits) => {
      for (const { file, find } of edits) {
        const text = await readFile(new URL(file, root), 'utf8');
        expect(text.split(find).length - 1, `${find} in ${file}`).toBe(1);
      }
    },
  );

  it('has a name of its own', () => {
    const names = deliberateBugs.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(30);
  });

  it('is searched first with a seed of its story', async () => {
    const known = JSON.parse(await readFile(new URL('bug-seeds.json', import.meta.url), 'utf8')) as Record<
      string,
      readonly number[]
    >;
    for (const { name, story } of deliberateBugs.filter((bug) => bug.story !== undefined))
      for (const seed of known[name] ?? []) expect([name, storyOf(seed).name]).toEqual([name, story]);
  });
});
