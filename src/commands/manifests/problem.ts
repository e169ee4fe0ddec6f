// What validation finds in a manifest.
import type { FieldPath } from './field-path.ts';

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
  | 'expired'
  | 'closed-windows';

export interface Problem {
  readonly check: Check;
  readonly severity: ProblemSeverity;
  readonly path: FieldPath;
  /** A sentence without a full stop. */
  readonly message: string;
  /** What to write instead, where the message does not name it. A sentence without a full stop. */
  readonly fix?: string;
}
