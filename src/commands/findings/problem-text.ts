// Problems of manifests as text: `file:line:column: severity: field: message; fix`, and a summary.
import { cleanText } from '../../lib/clean-text.ts';
import type { PlacedProblem } from '../manifests/parse-manifests.ts';
import { fieldText } from '../manifests/problem.ts';

export interface ProblemCounts {
  readonly checked: number;
  readonly skipped: number;
  readonly problems: readonly PlacedProblem[];
}

/** The longest line, in UTF-16 units: a path of 4096 and the longest sentence of a rule. */
const lineLength = 6000;

/** A line for each problem. Names of files and texts of manifests come from others: no line shows their control characters. */
export function problemText(problems: readonly PlacedProblem[]): string {
  return problems.map((problem) => `${cleanText(problemLine(problem), lineLength)}\n`).join('');
}

/** `file:line:column: severity: field: message; fix`, with everything that the file and the manifest contain. */
export function problemLine(problem: PlacedProblem): string {
  const { file, place, severity } = problem;
  return `${file}:${place.line}:${place.column}: ${severity}: ${problemSentence(problem)}`;
}

/** The field, the message and the fix. */
export function problemSentence({ path, message, fix }: PlacedProblem): string {
  const field = path.length === 0 ? '' : `${fieldText(path)}: `;
  return `${field}${message}${fix === undefined ? '' : `; ${fix}`}`;
}

/** `3 objects valid, 1 with warnings` and the like. */
export function problemSummary({ checked, skipped, problems }: ProblemCounts): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  const others = skipped === 0 ? '' : `, ${counted(skipped, 'other document')} skipped`;
  return `${counted(checked, 'object')} checked, ${counted(errors, 'error')}, ${counted(warnings, 'warning')}${others}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
