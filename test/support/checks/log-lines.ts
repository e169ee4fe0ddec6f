// Reads the log of the operator, which is JSON.

/** The lines of errors, which the operator logs only for a bug or for what it had to give up. */
export function errorLines(lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith('{"level":"error"'));
}
