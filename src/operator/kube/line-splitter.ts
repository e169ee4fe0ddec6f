// Splits a stream of bytes into lines. It works on bytes, so a multi-byte character may span chunks.

const lineFeed = 0x0a;

export function createLineSplitter(limitBytes: number) {
  let pending: Buffer[] = [];
  let pendingBytes = 0;

  const keep = (part: Buffer) => {
    if (part.length === 0) return;
    pendingBytes += part.length;
    if (pendingBytes > limitBytes) throw new RangeError(`a line is longer than ${limitBytes} bytes`);
    pending.push(part);
  };

  const take = (part: Buffer): Buffer => {
    if (pending.length === 0) return part;
    const line = Buffer.concat([...pending, part]);
    pending = [];
    pendingBytes = 0;
    return line;
  };

  return {
    /** Returns the lines that are now complete, without line feeds and empty lines. Throws when a line exceeds `limitBytes`. */
    push(chunk: Buffer): readonly Buffer[] {
      const lines: Buffer[] = [];
      let start = 0;
      for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
        const line = take(chunk.subarray(start, end));
        if (line.length > 0) lines.push(line);
        start = end + 1;
      }
      keep(chunk.subarray(start));
      return lines;
    },
  };
}
