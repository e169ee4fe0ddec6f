// Directed seeds: each plays one story in a small world in which nothing else goes wrong, at moments that its seed draws. What a
// random world meets once in thousands of seeds happens here every time.
import { bounds } from './stories/bounds.ts';
import { capacity, slowness } from './stories/capacity.ts';
import { endings, survivals } from './stories/endings.ts';
import { entries, lifts } from './stories/entries.ts';
import { independence, readers } from './stories/independence.ts';
import { interruptions } from './stories/interruptions.ts';
import { moments } from './stories/moments.ts';
import { pauses, resumptions, suspensions } from './stories/pauses.ts';
import { quarrels, waitingQuarrels } from './stories/quarrels.ts';
import { registers } from './stories/registers.ts';
import { returns } from './stories/returns.ts';
import type { Story } from './stories/scene.ts';
import { many } from './stories/scopes.ts';
import { sends } from './stories/sends.ts';
import { statuses } from './stories/statuses.ts';
import { crowds, tenants } from './stories/tenants.ts';
import { thieves } from './stories/thieves.ts';
import { accounts, tokens } from './stories/tokens.ts';
import { widenings } from './stories/widenings.ts';
import { windows } from './stories/windows.ts';

/** A new one comes last, so that the others keep their places. */
const stories: Readonly<Record<string, Story>> = {
  ...quarrels,
  ...entries,
  ...lifts,
  ...independence,
  ...sends,
  ...statuses,
  ...bounds,
  ...many,
  ...endings,
  ...pauses,
  ...tokens,
  ...suspensions,
  ...resumptions,
  ...registers,
  ...capacity,
  ...moments,
  ...windows,
  ...accounts,
  ...survivals,
  ...tenants,
  ...thieves,
  ...widenings,
  ...returns,
  ...readers,
  ...interruptions,
  ...slowness,
  ...waitingQuarrels,
  ...crowds,
};

export const storyNames: readonly string[] = Object.keys(stories);

/** The stories by place. A story that went leaves its place to the next one. */
const order = [...storyNames];
for (const gone of [2, 6, 14, 17, 18, 19, 20, 21, 22, 23, 32, 44, 62]) order.splice(gone, 0, order[gone] ?? '');

/** One for each story. */
export const storySeeds: readonly number[] = storyNames.map((name) => order.indexOf(name));

/** More than half of the stories, and not more than there are. */
const places = 64;

/**
 * Each seed has one, by turns. A new story takes seeds of one other only: of the one whose place is 64 before its own. Every
 * other seed stays what it was.
 */
export function storyOf(seed: number): { readonly name: string; readonly play: Story } {
  const place = seed % (2 * places);
  const name = order[place < order.length ? place : place % places] ?? '';
  const play = stories[name];
  if (!play) throw new Error(`no story for seed ${seed}`);
  return { name, play };
}
