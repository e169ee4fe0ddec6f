// A body with white space before its last byte, for responses that are too large for memory: only the slice that is being
// written exists.

/** Maximum length of a slice of a padded body, in bytes. */
export const longestSliceBytes = 65_536;

export interface PaddedBody {
  readonly length: number;
  /** The bytes from `from` up to `to`, fewer at the end. */
  slice(from: number, to: number): Uint8Array;
}

export function padBody(body: Uint8Array, paddingBytes: number): PaddedBody {
  const length = body.length + paddingBytes;
  if (paddingBytes === 0) return { length, slice: (from, to) => body.subarray(from, to) };
  const padding = Buffer.alloc(Math.min(paddingBytes, longestSliceBytes), ' ');
  const start = Math.max(body.length - 1, 0);
  const end = start + paddingBytes;
  return {
    length,
    slice(from, to) {
      const spaces = Math.max(Math.min(to, end) - Math.max(from, start), 0);
      const filler = padding.subarray(0, spaces);
      if (from >= start && to <= end) return filler;
      const before = body.subarray(Math.min(from, start), Math.min(to, start));
      const behind = body.subarray(start + Math.max(from - end, 0), start + Math.max(to - end, 0));
      return Buffer.concat([before, filler, behind]);
    },
  };
}
