// `rolealerts validate`: checks manifests without a cluster as an API server would, and warns of what it would accept.
import { readBuildFacts } from '../lib/build-facts.ts';
import { systemClock } from '../lib/clock.ts';
import { UsageError } from '../lib/command-errors.ts';
import { switchOption } from '../lib/options/text.ts';
import { defineCommand } from './command.ts';
import { descriptions } from './descriptions.ts';
import {
  type ProblemCounts,
  problemGithub,
  problemJson,
  problemJunit,
  problemSarif,
  problemSummary,
  problemText,
} from './findings/problem-report.ts';
import { checkFiles } from './manifests/check-files.ts';
import { readManifestFiles } from './manifests/manifest-files.ts';
import type { Problem } from './manifests/problem.ts';
import { filenameOption, outputOption } from './options/shared-options.ts';

const options = {
  filename: filenameOption('A', '. Repeatable. Required.'),
  output: outputOption(['text', 'json', 'sarif', 'junit', 'github']),
  strict: switchOption({
    flag: 'strict',
    description: 'Fail because of warnings, too, except for what has ended.',
  }),
};

type Format = (typeof options.output)['fallback'];

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
  options,
  async run({ filename, output, strict }, host) {
    if (filename.length === 0) throw new UsageError('--filename is required: give a file, a directory, or -.');
    const files = await readManifestFiles(filename, host);
    const report = checkFiles(files, systemClock.now());
    const names = files.map(({ name }) => name);
    host.out.write(render(output, report, names));
    host.err.write(`${problemSummary(report)}.\n`);
    // Time ends a dismissal: a change of other files must not fail for it.
    const fails = ({ severity, check }: Problem) => severity === 'error' || (strict && check !== 'expired');
    return report.problems.some(fails) ? 1 : 0;
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
