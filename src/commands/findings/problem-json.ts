// Problems of manifests as JSON. The shape is a contract: a field is never renamed or removed within one version.
import { indentedJson } from '../../lib/indented-json.ts';
import { fieldText } from '../manifests/problem.ts';
import { type ProblemCounts } from './problem-text.ts';

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
