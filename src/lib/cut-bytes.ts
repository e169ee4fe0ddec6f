// Texts within a number of UTF-8 bytes.

/** Whether `text` takes at most `limitBytes`. */
export function fitsBytes(text: string, limitBytes: number): boolean {
  return Buffer.byteLength(text) <= limitBytes;
}

/** `text`, or as many of its characters as fit into `limitBytes` together with an ellipsis. Splits no character. */
export function cutBytes(text: string, limitBytes: number): string {
  if (fitsBytes(text, limitBytes)) return text;
  const bytes = Buffer.from(text, 'utf8');
  let end = Math.max(0, limitBytes - Buffer.byteLength('…'));
  while (end > 0 && isContinuation(bytes[end])) end--;
  return `${bytes.subarray(0, end).toString('utf8')}…`;
}

/** True for every byte of a UTF-8 character except the first. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
