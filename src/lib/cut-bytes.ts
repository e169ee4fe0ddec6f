// Text that must fit a number of bytes, for limits that count UTF-8.

/** `text`, or as many of its characters as fit `limitBytes` together with an ellipsis; no character is split. */
export function cutBytes(text: string, limitBytes: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= limitBytes) return text;
  let end = Math.max(0, limitBytes - Buffer.byteLength('…'));
  while (end > 0 && isContinuation(bytes[end])) end--;
  return `${bytes.subarray(0, end).toString('utf8')}…`;
}

/** Every byte of a character but its first one. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
