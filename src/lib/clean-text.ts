// Makes text from outside safe to print and to keep: without control, ANSI and bidi characters, of limited length, and trimmed.

const ansi = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b[@-Z\\-_]/g;
const unsafe = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** `text` of several lines with unsafe characters other than line feeds and tabs replaced by spaces. Its blanks are kept. */
export function cleanLines(text: string): string {
  return text
    .replace(ansi, '')
    .replace(unsafe, (found) => (found === '\n' || found === '\t' ? found : ' '))
    .toWellFormed();
}

/** `text` with unsafe characters replaced by spaces, trimmed, and cut to `limit` UTF-16 units including an ellipsis. */
export function cleanText(text: string, limit = 256): string {
  const bounded = text.length > limit * 4 ? text.slice(0, limit * 4) : text;
  const clean = bounded.replace(ansi, '').replace(unsafe, ' ').replace(/ {2,}/g, ' ').trim().toWellFormed();
  return clean.length <= limit ? clean : `${clean.slice(0, limit - 1).toWellFormed()}…`;
}

/** The message of a condition for a line of text. A client that may write statuses decides what it says. */
export function cleanMessage(message: string): string {
  return cleanText(message, 4096);
}

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

/**
 * `text` without trailing `characters`. Linear in the number of removed characters. A regular expression anchored at the end is quadratic:
 * a megabyte of line feeds before one letter would block the process for minutes.
 */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** `text` without leading and trailing `characters`. */
export function trimEnds(text: string, characters: string): string {
  const ended = trimEndOf(text, characters);
  let start = 0;
  while (start < ended.length && characters.includes(ended.charAt(start))) start++;
  return ended.slice(start);
}
