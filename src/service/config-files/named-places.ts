// The names in a file by scope: the scopes of a seed or an assignments file, and the alerts of a seed. Each must be valid and unique.
import { canonicalName } from '../../alerts/resource-id.ts';
import { cleanText, trimEndOf } from '../../lib/clean-text.ts';
import type { JsonObject } from '../../lib/json-shape.ts';
import { scopeProblem } from '../http/resource-path.ts';

interface NamedScope {
  readonly scope: string;
  readonly value: unknown;
  readonly path: string;
}

/** Each scope of the member "scopes", in order. Notes names that are invalid or repeated. */
export function* namedScopes(scopes: JsonObject, problems: string[]): Iterable<NamedScope> {
  const seen = new Set<string>();
  for (const [scope, value] of Object.entries(scopes)) {
    const path = `scopes["${cleanText(scope)}"]`;
    noteInvalidName(scopeProblem(scope), path, problems);
    noteRepeatedName(seen, scope, path, problems);
    yield { scope, value, path };
  }
}

/** `problem` is a sentence; undefined for a valid name. */
export function noteInvalidName(problem: string | undefined, path: string, problems: string[]): void {
  if (problem !== undefined) problems.push(`${path}: ${trimEndOf(problem, '.')}`);
}

export function noteRepeatedName(seen: Set<string>, name: string, path: string, problems: string[]): void {
  if (seen.has(canonicalName(name))) problems.push(`${path} repeats an earlier one (names are case-insensitive)`);
  seen.add(canonicalName(name));
}
