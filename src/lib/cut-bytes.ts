// Cuts a text to a number of UTF-8 bytes.

/** `text`, or as many of its characters as fit into `limitBytes` together with an ellipsis. Splits no character. */
export function cutBytes(text: string, limitBytes: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= limitBytes) return text;
  let end = Math.max(0, limitBytes - Buffer.byteLength('…'));
  while (end > 0 && isContinuation(bytes[end])) end--;
  return `${bytes.subarray(0, end).toString('utf8')}…`;
}

/** True for every byte of a UTF-8 character except the first. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
