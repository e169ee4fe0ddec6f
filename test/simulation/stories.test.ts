// Which seed plays which story.
import { expect, it } from 'vitest';

import { storyNames, storyOf } from './scenarios/stories.ts';

it('has every story in its turn, among the first seeds', () => {
  const first = storyNames.map((_, seed) => storyOf(seed).name);
  expect(first).toEqual(storyNames);
});

it('gives every story as many seeds as another, or half as many', () => {
  const turns = 10;
  const seeds = Array.from({ length: 128 * turns }, (_, seed) => storyOf(seed).name);
  const counts = storyNames.map((name) => seeds.filter((each) => each === name).length);
  expect(new Set(counts)).toEqual(new Set([turns, 2 * turns]));
});
