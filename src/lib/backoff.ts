// The exponential back-off.

/** The delay after the `count`th failure in a row (from 1): `firstMs`, doubled by each further failure, up to `longestMs`. */
export function doublingMs(count: number, firstMs: number, longestMs: number): number {
  return Math.min(firstMs * 2 ** (count - 1), longestMs);
}
