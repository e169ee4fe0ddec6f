// Decodes the bytes of a file. A wrong byte is refused with its place, because a replaced one would change a name without notice.
import { UsageError } from '../../lib/command-errors.ts';

/** The text without a byte order mark. `name` begins the message: "The seed FILE". Throws `UsageError`. */
export function decodeUTF8(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${name} is not UTF-8 at ${placeOfWrongByte(bytes)}.`);
  }
}

/** Decoding replaces a wrong byte, so that the text has other bytes from there. */
function placeOfWrongByte(bytes: Uint8Array): string {
  const replaced = Buffer.from(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  const firstWrong = bytes.findIndex((byte, index) => byte !== replaced[index]);
  const right = bytes.subarray(0, firstWrong < 0 ? bytes.length : firstWrong);
  // With `stream`, the decoder leaves out a character that the end cuts.
  const lines = new TextDecoder().decode(right, { stream: true }).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}
