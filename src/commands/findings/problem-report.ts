// The problems of manifests in every format of `rolealerts validate`.
import { cleanText } from '../../lib/clean-text.ts';
import { counted } from '../../lib/counted.ts';
import { indentedJson } from '../../lib/json-shape.ts';
import type { PlacedProblem } from '../manifests/parse-manifests.ts';
import { type Check, fieldText } from '../manifests/problem.ts';
import { type FileFinding, findingsGithub, findingsSarif, testCasesJunit } from './findings.ts';

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

/** The shape is a contract: a field is never renamed or removed within one version. */
export function problemJson({ checked, skipped, problems }: ProblemCounts): string {
  const report = {
    apiVersion: 'cli.rolealerts.dev/v1',
    kind: 'ValidationReport',
    checked,
    skipped,
    problems: problems.map(({ check, severity, file, place, path, message, fix }) => ({
      check,
      severity,
      file,
      line: place.line,
      column: place.column,
      field: fieldText(path),
      message,
      ...(fix !== undefined && { fix }),
    })),
  };
  return indentedJson(report);
}

/** What each check finds, as a heading of code scanning. */
const rules: Readonly<Record<Check, string>> = {
  syntax: 'The file is not valid YAML',
  'unknown-field': 'The resource has no such field',
  'required-field': 'A required field is missing',
  'wrong-type': 'A value has the wrong type',
  'unsupported-value': 'A value is not one of the allowed ones',
  'too-long': 'A text or a list is too long',
  'out-of-bounds': 'A value is outside its bounds',
  'duplicate-item': 'A list or the files hold the same item twice',
  metadata: 'A name, label or annotation is not valid in Kubernetes',
  rule: 'A rule of the resource is broken',
  'conflicting-policies': 'Two policies declare different states of one alert',
  expired: 'A dismissal or a suspension has ended',
};

export function problemSarif(problems: readonly PlacedProblem[], version: string): string {
  const findings = problems.map((problem) => ({ ...findingOf(problem), text: `${problemSentence(problem)}.` }));
  return findingsSarif(findings, rules, version);
}

export function problemGithub(problems: readonly PlacedProblem[]): string {
  return findingsGithub(problems.map(findingOf));
}

function findingOf(problem: PlacedProblem): FileFinding {
  const { check, severity, file, place } = problem;
  return { rule: check, level: severity, text: problemSentence(problem), at: { file, place } };
}

/** A test case for each file, failed if the file has errors. Warnings are its output. `files`: every file that was read, in order. */
export function problemJunit(files: readonly string[], problems: readonly PlacedProblem[]): string {
  const linesOf = (name: string, level: PlacedProblem['severity']) =>
    problems.filter(({ file, severity }) => file === name && severity === level).map(problemLine);
  const cases = files.map((name) => ({
    name,
    errors: [],
    failures: linesOf(name, 'error'),
    others: linesOf(name, 'warning'),
  }));
  return testCasesJunit('validate', cases);
}
