// Reads a file that a person named. It may be a device without an end, whose size is 0.
import { createReadStream } from 'node:fs';

/** Reads to the end, or until there are more than `limitBytes`. Throws the error of the system. */
export async function readFileBytes(path: string, limitBytes: number): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  // `end` is the last byte that is read.
  for await (const piece of createReadStream(path, { end: limitBytes }) as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces);
}
