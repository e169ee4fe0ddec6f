// Spares shared counters the attempts of a flood: a key that was found closed is not asked for again for a second. So the refused attempts
// of an attacker cost the database a few queries a second, however many there are.
import type { Clock } from '../../lib/clock.ts';
import type { AttemptCounters, BoundedKey } from './attempt-counters.ts';

/** Time for which a key stays closed without a question, also after another process has forgotten its failures. */
const rememberedMs = 1000;

const keysRemembered = 10_000;

export function rememberClosedKeys(counters: AttemptCounters, clock: Clock): AttemptCounters {
  const untilMs = new Map<string, number>();

  const isRemembered = ({ key }: BoundedKey) => (untilMs.get(key) ?? 0) > clock.monotonic();

  /** Another key of the attempt may be open, and must not close other attempts. */
  const remember = async (keys: readonly BoundedKey[]) => {
    for (const bounded of keys) {
      if (keys.length > 1 && !(await counters.isClosed([bounded]))) continue;
      if (untilMs.size >= keysRemembered) untilMs.clear();
      untilMs.set(bounded.key, clock.monotonic() + rememberedMs);
    }
  };

  return {
    async isClosed(keys) {
      if (keys.some(isRemembered)) return true;
      const isClosed = await counters.isClosed(keys);
      if (isClosed) await remember(keys);
      return isClosed;
    },
    count: (keys) => (keys.some(isRemembered) ? false : counters.count(keys)),
    takeBack(keys) {
      for (const key of keys) untilMs.delete(key);
      return counters.takeBack(keys);
    },
    forget(key) {
      untilMs.delete(key);
      return counters.forget(key);
    },
  };
}
