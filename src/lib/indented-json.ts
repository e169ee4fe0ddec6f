// JSON that a person may read as well.

/** Indented by two blanks, with a line break at its end. */
export function indentedJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
