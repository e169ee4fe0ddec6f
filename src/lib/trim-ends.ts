// Trims characters from the ends of a text in linear time. A regular expression anchored at the end is quadratic: a megabyte
// of line feeds before one letter would block the process for minutes.

/** `text` without trailing `characters`. Linear in the number of removed characters. */
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
