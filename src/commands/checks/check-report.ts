// The report of `doctor` as text and as JSON.
import { cleanText } from '../../lib/clean-text.ts';
import { indentedJson } from '../../lib/indented-json.ts';

/** `Warning`: something to know, which breaks nothing yet. `NotChecked`: a permission or an earlier answer is missing. */
export type CheckState = 'Passed' | 'Warning' | 'Failed' | 'NotChecked';

export interface CheckResult {
  /** `cluster`, or the object: `connection NAMESPACE/NAME`. */
  readonly subject: string;
  /** What was checked, for scripts: `tls-service`. */
  readonly check: string;
  readonly state: CheckState;
  /** One sentence. */
  readonly message: string;
  /** What to do, one sentence. Absent where nothing is to do. */
  readonly fix?: string;
}

const marks: Readonly<Record<CheckState, string>> = {
  Passed: 'ok',
  Warning: 'WARNING',
  Failed: 'FAILED',
  NotChecked: 'not checked',
};

/** Grouped by subject, in the order of the results. */
export function checkText(results: readonly CheckResult[]): string {
  const subjects = [...new Set(results.map(({ subject }) => subject))];
  return subjects
    .map((subject) => [`${subject}\n`, ...results.filter((each) => each.subject === subject).map(resultLines)].join(''))
    .join('\n');
}

function resultLines({ check, state, message, fix }: CheckResult): string {
  const line = `  ${marks[state].padEnd(11)}  ${check.padEnd(22)}  ${cleanText(message, longestMessage)}\n`;
  return fix === undefined ? line : `${line}${' '.repeat(39)}${cleanText(fix, longestMessage)}\n`;
}

/** Longer than every message of ours; conditions and certificates may contain text of others. */
const longestMessage = 1000;

/** `9 passed, 1 failed` */
export function checkSummary(results: readonly CheckResult[]): string {
  const count = (state: CheckState) => results.filter((each) => each.state === state).length;
  const counts = [
    [count('Passed'), 'passed'],
    [count('Warning'), count('Warning') === 1 ? 'warning' : 'warnings'],
    [count('Failed'), 'failed'],
    [count('NotChecked'), 'not checked'],
  ] as const;
  return counts.flatMap(([number, word], index) => (index === 0 || number > 0 ? [`${number} ${word}`] : [])).join(', ');
}

/** The shape is a contract: within a version members may be added, never renamed or removed. */
export function checkJson(results: readonly CheckResult[]): string {
  const checks = results.map(({ subject, check, state, message, fix }) => ({ subject, check, state, message, fix }));
  const report = { apiVersion: 'cli.rolealerts.dev/v1', kind: 'DoctorReport', checks };
  return indentedJson(report);
}
