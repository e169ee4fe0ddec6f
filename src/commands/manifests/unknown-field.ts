// The problem of a field that a resource does not have, with the name that was probably meant, or all names where they are few.
import { nearestOf } from '../../lib/nearest.ts';
import type { FieldPath } from './field-path.ts';
import type { Problem } from './problem.ts';

/** More names would hide the mistake. */
const listedNames = 8;

/** `known`: the fields of the object at `path`. */
export function unknownField(path: FieldPath, name: string, known: readonly string[]): Problem {
  return {
    check: 'unknown-field',
    severity: 'error',
    path: [...path, name],
    message: 'the resource has no such field',
    fix: fixOf(nearestOf(name, known), known),
  };
}

function fixOf(close: string | undefined, known: readonly string[]): string {
  if (close !== undefined) return `write ${close}`;
  if (known.length === 0 || known.length > listedNames) return 'remove it';
  return `remove it, or write one of ${known.join(', ')}`;
}
