// Problems of manifests as workflow commands of GitHub Actions, which show them beside the lines of a pull request.
import type { PlacedProblem } from '../manifests/parse-manifests.ts';
import { problemSentence } from './problem-text.ts';

export function problemGithub(problems: readonly PlacedProblem[]): string {
  return problems.map((problem) => `${commandOf(problem)}\n`).join('');
}

function commandOf(problem: PlacedProblem): string {
  const { file, place, severity, check } = problem;
  const properties = { file, line: place.line, col: place.column, title: `rolealerts ${check}` };
  const texts = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  return `::${severity} ${texts.join(',')}::${escapeData(problemSentence(problem))}`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
