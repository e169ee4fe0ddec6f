// Correction windows that open or close while a scenario acts, in zones whose clocks differ by more than whole hours.
import type { Random } from '../../../src/lib/random.ts';
import { offsetMs, type Window } from '../../support/checks/correction-windows.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import type { Generators } from './generators.ts';
import { pick } from './schema-walker.ts';

const minuteMs = 60_000;
/** None of them changes its clock in January. */
export const zones = ['UTC', 'Asia/Kolkata', 'America/St_Johns', 'Pacific/Chatham', 'Asia/Tokyo'] as const;

/** Begins daily in the minute of that virtual time. */
export function windowAt(
  kind: Window['kind'],
  { atMs, minutes, timeZone }: { readonly atMs: number; readonly minutes: number; readonly timeZone: string },
): Window {
  const timeMs = startOfTimeMs + atMs;
  const local = new Date(timeMs + offsetMs(timeZone, timeMs));
  const schedule = `${local.getUTCMinutes()} ${local.getUTCHours()} * * *`;
  return { kind, schedule, duration: `${minutes}m`, timeZone };
}

/** Nothing in a world without windows. */
export function windowsIn({
  world,
  windowRandom,
  traits,
}: Pick<Generators, 'world' | 'windowRandom' | 'traits'>): object {
  if (!windowRandom || traits?.hasWindows !== true) return {};
  return { correctionWindows: drawWindows(windowRandom, world.time.nowMs) };
}

/** None, one or two windows, of which some include this moment or begin soon. */
function drawWindows(random: Random, nowMs: number): readonly Window[] {
  const count = pick(random, [0, 0, 1, 1, 2]);
  return Array.from({ length: count }, () => {
    const atMs = nowMs + Math.floor(random.next() * 12 - 6) * minuteMs;
    const minutes = pick(random, [5, 6, 8, 20]);
    return windowAt(pick(random, ['Allow', 'Deny']), { atMs, minutes, timeZone: pick(random, zones) });
  });
}
