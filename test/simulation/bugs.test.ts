// The deliberate bugs are kept in step with the source that they change.
import { describe, expect, it } from 'vitest';

import { parse } from '../tools/mutation/syntax.ts';
import { type DeliberateBug, deliberateBugs, readBugSeeds } from './bugs.ts';
import { filesWith, readSources, type SourceFile } from './project-copy.ts';
import { storyOf } from './scenarios/stories.ts';

/** Why the bug cannot be made. */
function problemOf(bug: DeliberateBug, sources: readonly SourceFile[]): string | undefined {
  try {
    for (const { path, text } of filesWith(bug, sources)) if (path.endsWith('.ts')) parse(text);
    return undefined;
  } catch (error) {
    return `${bug.name}: ${String(error)}`;
  }
}

describe('every deliberate bug', () => {
  it('has one place in the source', async () => {
    const sources = await readSources();
    expect(deliberateBugs.flatMap((bug) => problemOf(bug, sources) ?? [])).toEqual([]);
  });

  it('has a name of its own', () => {
    const names = deliberateBugs.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(30);
  });

  it('is searched first with a seed of its story', async () => {
    const known = await readBugSeeds();
    for (const { name, story } of deliberateBugs.filter((bug) => bug.story !== undefined))
      for (const seed of known[name] ?? []) expect([name, storyOf(seed).name]).toEqual([name, story]);
  });
});
