// `rolealerts validate`: checks manifests without a cluster as an API server would, and warns of what it would accept.
import { readBuildFacts } from '../lib/build-facts.ts';
import { systemClock } from '../lib/clock.ts';
import { UsageError } from '../lib/command-errors.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import { problemGithub } from './findings/problem-github.ts';
import { problemJson } from './findings/problem-json.ts';
import { problemJunit } from './findings/problem-junit.ts';
import { problemSarif } from './findings/problem-sarif.ts';
import { type ProblemCounts, problemSummary, problemText } from './findings/problem-text.ts';
import { checkFiles } from './manifests/check-files.ts';
import { readManifestFiles } from './manifests/manifest-files.ts';
import { validateOptions } from './options/validate-options.ts';

type Format = (typeof validateOptions.output)['fallback'];

export const validateCommand = defineCommand({
  name: 'validate',
  description: descriptions.validate,
  more: `Standard output has one line for each problem: FILE:LINE:COLUMN: SEVERITY: FIELD: MESSAGE; FIX. Documents of other API groups
are skipped.`,
  examples: [
    'rolealerts validate -f policy.yaml',
    'kustomize build . | rolealerts validate -f -',
    'rolealerts validate -f clusters/ -o sarif > rolealerts.sarif',
  ],
  exits: { success: 'valid', failed: 'with errors (with --strict also with warnings)' },
  options: validateOptions,
  async run({ filename, output, strict }, host) {
    if (filename.length === 0) throw new UsageError('--filename is required: give a file, a directory, or -.');
    const files = await readManifestFiles(filename, host);
    const report = checkFiles(files, systemClock.now());
    const names = files.map(({ name }) => name);
    host.out.write(render(output, report, names));
    host.err.write(`${problemSummary(report)}.\n`);
    return report.problems.some(({ severity }) => severity === 'error' || strict) ? 1 : 0;
  },
});

function render(format: Format, report: ProblemCounts, files: readonly string[]): string {
  const { problems } = report;
  switch (format) {
    case 'text':
      return problemText(problems);
    case 'json':
      return problemJson(report);
    case 'sarif':
      return problemSarif(problems, readBuildFacts().version);
    case 'junit':
      return problemJunit(files, problems);
    case 'github':
      return problemGithub(problems);
  }
}
