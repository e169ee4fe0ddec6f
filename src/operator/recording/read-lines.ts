// The lines of a file, without a line that would not fit into memory.
import { createReadStream } from 'node:fs';

export interface FileLine {
  readonly text: string;
  /** False for a last line without a line feed: a process may have ended while it wrote. */
  readonly isWhole: boolean;
}

/** `limit`: of the length of a line, in UTF-16 units; the lines end with the first one that is longer, cut and not whole. */
export async function* readLines(file: string, limit: number): AsyncGenerator<FileLine> {
  let begun: string[] = [];
  let length = 0;
  for await (const piece of createReadStream(file, 'utf8') as AsyncIterable<string>) {
    const [rest = '', ...later] = piece.split('\n');
    begun.push(rest);
    length += rest.length;
    for (const next of later) {
      yield { text: begun.join('').replace(/\r$/, ''), isWhole: true };
      [begun, length] = [[next], next.length];
    }
    if (length > limit) break;
  }
  const text = begun.join('');
  if (text !== '') yield { text, isWhole: false };
}
