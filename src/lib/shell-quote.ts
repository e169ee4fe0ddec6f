// Quotes a word of a printed command, so that the command works when it is pasted into a shell.

/** For a POSIX shell, unless `text` needs no quotes. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
