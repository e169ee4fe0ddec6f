// What a check of text finds, each with its place: `FILE:LINE: WHAT`, as compilers write it.
import { readFileSync } from 'node:fs';

export const root = new URL('../../../', import.meta.url);

/** A file of the project. */
export interface TextFile {
  /** Relative to the root. */
  readonly file: string;
  readonly text: string;
}

export function readText(file: string): TextFile {
  return { file, text: readFileSync(new URL(file, root), 'utf8') };
}

export function findingAt({ file, text }: TextFile, index: number, what: string): string {
  return `${file}:${text.slice(0, index).split('\n').length}: ${what}`;
}

/** A finding for each match; `whatOf` returns undefined for one that is right. */
export function findingsIn(
  from: TextFile,
  pattern: RegExp,
  whatOf: (match: RegExpExecArray) => string | undefined,
): string[] {
  return [...from.text.matchAll(pattern)].flatMap((match) => {
    const what = whatOf(match);
    return what === undefined ? [] : [findingAt(from, match.index, what)];
  });
}

/** A line of a table. */
export interface TableRow {
  readonly cells: readonly string[];
  /** Of its line in the text. */
  readonly index: number;
}

/** The tables of a page, each with its head first and without the line below it. */
export function tablesOf(text: string): TableRow[][] {
  return [...text.matchAll(/(?:^\|.*\n)+/gm)].map((table) =>
    [...table[0].matchAll(/^\|(.*?)\|?$/gm)]
      .map(({ 1: line = '', index }) => ({
        cells: line.split(' | ').map((cell) => cell.trim()),
        index: table.index + index,
      }))
      .filter((_, line) => line !== 1),
  );
}

/** The first line that is not what the generator writes now. */
export function staleIn({ file, text }: TextFile, generated: string): string[] {
  if (text === generated) return [];
  const [lines, current] = [text.split('\n'), generated.split('\n')];
  let same = 0;
  while (lines[same] === current[same]) same++;
  return [`${file}:${same + 1}: stale: run npm run generate and commit the result`];
}

/** Tests that do not run, or keep others from running. */
export function skippedIn(from: TextFile): string[] {
  return findingsIn(from, /\b(?:test|it|describe)\.(?:skip|todo|only)\b/g, ([call]) => call);
}
