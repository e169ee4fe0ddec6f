// Problems of manifests as SARIF 2.1.0, which code scanning reads.
import type { PlacedProblem } from '../manifests/parse-manifests.ts';
import type { Check } from '../manifests/problem.ts';
import { problemSentence } from './problem-text.ts';
import { sarifLog, sarifUri } from './sarif.ts';

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
  'closed-windows': 'Correction windows never open',
};

export function problemSarif(problems: readonly PlacedProblem[], version: string): string {
  return sarifLog(version, rules, problems.map(resultOf));
}

function resultOf(problem: PlacedProblem): unknown {
  const { check, severity, file, place } = problem;
  const region = { startLine: place.line, startColumn: place.column };
  return {
    ruleId: check,
    level: severity,
    message: { text: `${problemSentence(problem)}.` },
    locations: [{ physicalLocation: { artifactLocation: { uri: sarifUri(file) }, region } }],
  };
}
