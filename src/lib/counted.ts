// A count with its noun.

/** `1 alert`, `2 alerts`. `many`: a plural that is not `one` with an s. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
