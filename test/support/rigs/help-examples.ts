// The examples in the help of a command, as a test runs them.
import { startProgram } from './program.ts';

const main = new URL('../../../src/main.ts', import.meta.url).pathname;

/** The lines below `Examples:`. */
export async function examplesOf(command: string): Promise<readonly string[]> {
  const { ended, output } = startProgram([command, '--help']);
  await ended;
  const [, text = ''] = output.stdout.split('\nExamples:\n');
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('rolealerts '));
}

/** For a shell: this program from its sources. */
export function asShellCommand(example: string): string {
  return example.replace(/^rolealerts /, `exec '${process.execPath}' '${main}' `);
}
