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

function placeOfWrongByte(bytes: Uint8Array): string {
  const lines = textBeforeWrongByte(bytes).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}

/** The longest beginning that is UTF-8, by bisection: a beginning of a right one is right. */
function textBeforeWrongByte(bytes: Uint8Array): string {
  let [right, wrong] = [0, bytes.length + 1];
  while (wrong - right > 1) {
    const middle = Math.floor((right + wrong) / 2);
    if (decodeBeginning(bytes, middle) === undefined) wrong = middle;
    else right = middle;
  }
  return decodeBeginning(bytes, right) ?? '';
}

/** Without a character that the end cuts; undefined when it is not UTF-8. */
function decodeBeginning(bytes: Uint8Array, length: number): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
  } catch {
    return undefined;
  }
}
