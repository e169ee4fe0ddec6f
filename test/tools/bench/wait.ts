// Polls real state, with a deadline.
import { keepProcessAlive, systemClock } from '../../../src/lib/clock.ts';
import { poll } from '../../../src/local/long-steps.ts';

export async function waitFor<V>(
  what: string,
  { withinMs, everyMs }: { readonly withinMs: number; readonly everyMs: number },
  ask: () => Promise<V | undefined> | V | undefined,
): Promise<V> {
  const value = await keepProcessAlive(() => poll({ clock: systemClock, withinMs, everyMs }, async () => ask()));
  if (value === undefined) throw new Error(`not within ${withinMs} ms: ${what}`);
  return value;
}
