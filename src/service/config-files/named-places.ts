// The names in a file by scope: the scopes of a seed or an assignments file, and the alerts of a seed. Each must be valid and unique.
import { canonicalName } from '../../alerts/resource-id.ts';
import { cleanText } from '../../lib/clean-text.ts';
import type { JsonObject } from '../../lib/json-shape.ts';
import { trimEndOf } from '../../lib/trim-ends.ts';
import { scopeProblem } from '../http/resource-path.ts';

/** Decodes each scope of the member "scopes", in order, and notes names that are invalid or repeated. */
export function decodeEachScope<T>(
  scopes: JsonObject,
  problems: string[],
  decode: (scope: string, value: unknown, path: string) => T,
): readonly T[] {
  const seen = new Set<string>();
  return Object.entries(scopes).map(([scope, value]) => {
    const path = `scopes["${cleanText(scope)}"]`;
    noteInvalidName(scopeProblem(scope), path, problems);
    noteRepeatedName(seen, scope, path, problems);
    return decode(scope, value, path);
  });
}

/** `problem` is a sentence; undefined for a valid name. */
export function noteInvalidName(problem: string | undefined, path: string, problems: string[]): void {
  if (problem !== undefined) problems.push(`${path}: ${trimEndOf(problem, '.')}`);
}

export function noteRepeatedName(seen: Set<string>, name: string, path: string, problems: string[]): void {
  if (seen.has(canonicalName(name))) problems.push(`${path} repeats an earlier one (names are case-insensitive)`);
  seen.add(canonicalName(name));
}
