// Parses JSON and finds what `JSON.parse` loses without notice. The scan runs over text that is JSON already, so that it needs to
// know no grammar: only texts, numbers, and the ends of objects and lists.
import { LineCounter } from 'yaml';

import { isExactNumber } from './exact-number.ts';
import type { Loss } from './losses.ts';

/** The value with its losses; undefined when `text` is not JSON. `lines` are complete only if there are losses. */
export function parseJsonText(
  text: string,
): { readonly value: unknown; readonly losses: readonly Loss[]; readonly lines: LineCounter } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const losses = findLosses(text);
  return { value, losses, lines: losses.length > 0 ? countLines(text) : new LineCounter() };
}

function findLosses(text: string): readonly Loss[] {
  const losses: Loss[] = [];
  /** The names of each open object; undefined for an open list. */
  const open: (Set<string> | undefined)[] = [];
  /** Whether a name follows, unless the innermost is a list. */
  let isBeforeName = false;
  let offset = 0;
  while (offset < text.length) {
    const start = offset;
    const character = text.charAt(start);
    offset = endOfToken(text, start);
    if (character === '"') {
      const names = isBeforeName ? open.at(-1) : undefined;
      checkText(text.slice(start, offset), start, names, losses);
      isBeforeName = false;
    } else if (isStartOfNumber(character)) {
      if (!isExactNumber(text.slice(start, offset))) losses.push({ what: 'number', offset: start });
    } else if (character === '{' || character === '[') {
      open.push(character === '{' ? new Set() : undefined);
      isBeforeName = true;
    } else if (character === '}' || character === ']') open.pop();
    else if (character === ',') isBeforeName = true;
  }
  return losses;
}

/** Notes half a surrogate pair, and a name that `names`, those before it in its object, already contain. */
function checkText(quoted: string, offset: number, names: Set<string> | undefined, losses: Loss[]): void {
  const content = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  if (!content.isWellFormed()) losses.push({ what: 'text', offset });
  if (names?.has(content)) losses.push({ what: 'member', offset });
  names?.add(content);
}

function endOfToken(text: string, start: number): number {
  const character = text.charAt(start);
  if (character === '"') return endOfText(text, start);
  return isStartOfNumber(character) ? endOfNumber(text, start) : start + 1;
}

/** Without a regular expression, whose stack a text of megabytes would exhaust. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

/** Whether an odd number of backslashes precedes the character. */
function isEscaped(text: string, offset: number): boolean {
  let start = offset;
  while (text[start - 1] === '\\') start -= 1;
  return (offset - start) % 2 === 1;
}

function isStartOfNumber(character: string): boolean {
  return character === '-' || (character >= '0' && character <= '9');
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && /[0-9.eE+-]/.test(text.charAt(end))) end += 1;
  return end;
}

function countLines(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) lines.addNewLine(end + 1);
  return lines;
}
