// Order statistics of the bench's samples.

/** The lower one of the two in the middle. NaN without values. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? NaN;
}

/** The value that `fraction` of the others do not exceed. NaN without values. */
export function percentile(values: readonly number[], fraction: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * fraction))] ?? NaN;
}
