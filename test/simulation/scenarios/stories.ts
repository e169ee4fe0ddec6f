// Directed seeds: each plays one story in a small world in which nothing else goes wrong, at moments that its seed draws. What a
// random world meets once in thousands of seeds happens here every time.
import { bounds } from './stories/bounds.ts';
import { capacity } from './stories/capacity.ts';
import { claims } from './stories/claims.ts';
import { endings } from './stories/endings.ts';
import { entries, lifts } from './stories/entries.ts';
import { moments } from './stories/moments.ts';
import { pauses, resumptions } from './stories/pauses.ts';
import { quarrels } from './stories/quarrels.ts';
import { registers } from './stories/registers.ts';
import type { Story } from './stories/scene.ts';
import { many } from './stories/scopes.ts';
import { sends } from './stories/sends.ts';
import { statuses } from './stories/statuses.ts';
import { survivals } from './stories/survivals.ts';
import { suspensions } from './stories/suspensions.ts';
import { accounts, tokens } from './stories/tokens.ts';
import { windows } from './stories/windows.ts';

/** A new one comes last, so that the seeds of the others stay. */
const stories: Readonly<Record<string, Story>> = {
  ...quarrels,
  ...entries,
  ...lifts,
  ...claims,
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
};

export const storyNames: readonly string[] = Object.keys(stories);

/** More than there are stories, so that a new one leaves the seeds of the others alone. */
const places = 64;

/** Each seed has one, by turns. */
export function storyOf(seed: number): { readonly name: string; readonly play: Story } {
  const name = storyNames[(seed % places) % storyNames.length] ?? '';
  const play = stories[name];
  if (!play) throw new Error(`no story for seed ${seed}`);
  return { name, play };
}
