// What validation finds in a manifest, and at which field.
import { nearestOf } from '../../lib/compare-text.ts';

/** `error`: an API server would refuse the manifest. `warning`: it would accept it, and it is probably a mistake. */
export type ProblemSeverity = 'error' | 'warning';

/** Which check found the problem; the rule ids of SARIF. */
export type Check =
  | 'syntax'
  | 'unknown-field'
  | 'required-field'
  | 'wrong-type'
  | 'unsupported-value'
  | 'too-long'
  | 'out-of-bounds'
  | 'duplicate-item'
  | 'metadata'
  | 'rule'
  | 'conflicting-policies'
  | 'expired';

export interface Problem {
  readonly check: Check;
  readonly severity: ProblemSeverity;
  readonly path: FieldPath;
  /** A sentence without a full stop. */
  readonly message: string;
  /** What to write instead, where the message does not name it. A sentence without a full stop. */
  readonly fix?: string;
}

/** The path of a field in a manifest. */
export type FieldPath = readonly (string | number)[];

/** In the notation of Kubernetes: `spec.alerts[0].name`. */
export function fieldText(path: FieldPath): string {
  return path.map((step, index) => stepText(step, index === 0)).join('');
}

function stepText(step: string | number, isFirst: boolean): string {
  if (typeof step === 'number') return `[${step}]`;
  // Keys of labels and annotations contain dots and slashes.
  if (!/^[A-Za-z0-9_-]+$/.test(step)) return `[${step}]`;
  return isFirst ? step : `.${step}`;
}

export function errorAt(check: Check, path: FieldPath, message: string, fix?: string): Problem {
  return { check, severity: 'error', path, message, ...(fix !== undefined && { fix }) };
}

/** More names would hide the mistake. */
const listedNames = 8;

/** A field that a resource does not have. `known`: the fields of the object at `path`; the fix names the one that was probably meant, or a few. */
export function unknownField(path: FieldPath, name: string, known: readonly string[]): Problem {
  const fix = fixOf(nearestOf(name, known), known);
  return errorAt('unknown-field', [...path, name], 'the resource has no such field', fix);
}

function fixOf(close: string | undefined, known: readonly string[]): string {
  if (close !== undefined) return `write ${close}`;
  if (known.length === 0 || known.length > listedNames) return 'remove it';
  return `remove it, or write one of ${known.join(', ')}`;
}
