// Problems of manifests as JUnit XML: a test case for each file, failed if the file has errors. Warnings are its output.
import type { PlacedProblem } from '../manifests/parse-manifests.ts';
import { junitReport } from './junit.ts';
import { problemLine } from './problem-text.ts';
import { element, escapeXml } from './xml.ts';

/** `files`: every file that was read, in order. */
export function problemJunit(files: readonly string[], problems: readonly PlacedProblem[]): string {
  const byFile = new Map(files.map((file): [string, PlacedProblem[]] => [file, []]));
  for (const problem of problems) byFile.get(problem.file)?.push(problem);
  const cases = [...byFile].map(([file, found]) => testCase(file, found));
  const failures = [...byFile.values()].filter((found) => found.some(isError)).length;
  return junitReport('rolealerts validate', { tests: byFile.size, failures, errors: 0 }, cases);
}

const isError = ({ severity }: PlacedProblem) => severity === 'error';

function testCase(file: string, problems: readonly PlacedProblem[]): string {
  const errors = problems.filter(isError);
  const warnings = problems.filter((problem) => !isError(problem));
  const [first] = errors;
  const failure = first ? element('failure', { message: problemLine(first) }, linesOf(errors)) : '';
  const output = warnings.length > 0 ? element('system-out', {}, linesOf(warnings)) : '';
  return `${element('testcase', { classname: 'rolealerts.validate', name: file }, `${failure}${output}`)}\n`;
}

const linesOf = (problems: readonly PlacedProblem[]) => escapeXml(problems.map(problemLine).join('\n'));
