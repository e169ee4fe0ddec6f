// Makes text from outside safe to print: without control, ANSI and bidi characters, and of limited length.

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
