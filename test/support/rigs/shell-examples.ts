// The examples of a command's help, run as they are printed: by a shell, with the program from the sources.
import { execFile } from 'node:child_process';

import { runProgram } from '../../../src/cli/program.ts';
import { recordingHost } from './recording-host.ts';

const main = new URL('../../../src/main.ts', import.meta.url).pathname;

export async function shellExamples(command: string): Promise<readonly string[]> {
  const { host, written } = recordingHost();
  await runProgram([command, '--help'], host);
  const [, examples = ''] = written.out.split('\nExamples:\n');
  return examples.split('\n').flatMap((line) => (line.startsWith('  ') ? [line.trim()] : []));
}

export interface RanExample {
  readonly code: number;
  readonly stderr: string;
}

/** In that folder. A pipe into jq is left out: not every machine has it. */
export async function runExample(
  example: string,
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<RanExample> {
  const script = `rolealerts() { "${process.execPath}" "${main}" "$@"; }; ${example.replace(/ \| jq .*$/, '')}`;
  const { PATH = '' } = process.env;
  const options = { cwd: folder, env: { PATH, HOME: folder, ...environment } };
  return new Promise((resolve) => {
    execFile('sh', ['-c', script], options, (error, _stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stderr });
    });
  });
}
