// Texts within a number of UTF-8 bytes.

/** Whether `text` takes at most `limitBytes`. */
export function fitsBytes(text: string, limitBytes: number): boolean {
  return Buffer.byteLength(text) <= limitBytes;
}

/** `text`, or as many of its characters as fit into `limitBytes` together with an ellipsis. Splits no character. */
export function cutBytes(text: string, limitBytes: number): string {
  if (fitsBytes(text, limitBytes)) return text;
  const room = Math.max(0, limitBytes - Buffer.byteLength('…'));
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(room));
  return `${text.slice(0, read)}…`;
}
