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
import { tenants } from './stories/tenants.ts';
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
  ...tenants,
};

export const storyNames: readonly string[] = Object.keys(stories);

const places = 64;
/** The stories beyond the last place share it, so that a new one leaves the seeds of the others alone. */
const shared = places - 1;

/** Each seed has one, by turns. */
export function storyOf(seed: number): {
  readonly name: string;
  readonly play: Story;
  readonly isOfTenants: boolean;
} {
  const name = nameOf(seed % places, Math.floor(seed / places));
  const play = stories[name];
  if (!play) throw new Error(`no story for seed ${seed}`);
  return { name, play, isOfTenants: name in tenants };
}

function nameOf(place: number, turn: number): string {
  const later = storyNames.slice(shared);
  const names = place === shared && later.length > 0 ? later : storyNames.slice(0, shared);
  return names[(place === shared ? turn : place) % names.length] ?? '';
}
