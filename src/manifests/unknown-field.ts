// The problem of a field that a resource does not have, with the name that was probably meant.
import { nearestOf } from '../lib/nearest.ts';
import type { FieldPath } from './field-path.ts';
import type { Problem } from './problem.ts';

/** `known`: the fields of the object at `path`. */
export function unknownField(path: FieldPath, name: string, known: readonly string[]): Problem {
  const close = nearestOf(name, known);
  const fix = close === undefined ? 'remove it' : `write ${close}`;
  return {
    check: 'unknown-field',
    severity: 'error',
    path: [...path, name],
    message: 'the resource has no such field',
    fix,
  };
}
