// The examples in the help of a command, as a test runs them: by a shell, with the program from the sources.
import { execFile } from 'node:child_process';

import { startProgram } from './program.ts';

const main = new URL('../../../src/main.ts', import.meta.url).pathname;

/** The lines below `Examples:`. */
export async function examplesOf(command: string): Promise<readonly string[]> {
  const { ended, output } = startProgram([command, '--help']);
  await ended;
  const [, text = ''] = output.stdout.split('\nExamples:\n');
  return text.split('\n').flatMap((line) => (line.startsWith('  ') ? [line.trim()] : []));
}

/** For a shell: `rolealerts` is this program from its sources. */
export function asShellCommand(example: string): string {
  return `rolealerts() { '${process.execPath}' '${main}' "$@"; }; ${example}`;
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
  const { PATH = '' } = process.env;
  const options = { cwd: folder, env: { PATH, HOME: folder, ...environment } };
  return new Promise((resolve) => {
    execFile('sh', ['-c', asShellCommand(example.replace(/ \| jq .*$/, ''))], options, (error, _stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stderr });
    });
  });
}
