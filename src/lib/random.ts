// Randomness as a parameter, so that a seed reproduces a run.

export interface Random {
  /** A number in [0, 1). */
  next(): number;
}

export const systemRandom: Random = { next: () => Math.random() };

/** Returns the same numbers for the same seed (mulberry32). For tests and seeded faults, never for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}

/** `valueMs` changed by up to ±`fraction` of itself. */
export function jitter(random: Random, valueMs: number, fraction: number): number {
  return valueMs * (1 + (random.next() * 2 - 1) * fraction);
}
