// Taking characters off the ends of a text. A regular expression anchored at the end starts again at every character, so a
// megabyte of line feeds before one letter would hold up the process for minutes.

/** `text` without the `characters` at its end. Takes as many steps as are taken off. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** The same at both ends. */
export function trimEnds(text: string, characters: string): string {
  const ended = trimEndOf(text, characters);
  let start = 0;
  while (start < ended.length && characters.includes(ended.charAt(start))) start++;
  return ended.slice(start);
}
