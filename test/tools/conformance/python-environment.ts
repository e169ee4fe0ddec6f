// A Python environment with pinned packages, in a folder of its own. The packages come from PyPI, or from the mirror that pip is set to.
import { join } from 'node:path';

import { runCommand } from '../../../src/local/run-command.ts';

const installWithinMs = 10 * 60_000;

/** Creates the environment and returns the folder of its programs. Throws when there is no Python, or a package cannot be had. */
export async function createPythonEnvironment(folder: string, packages: readonly string[]): Promise<string> {
  await run('python3', ['-m', 'venv', folder]);
  const programs = join(folder, 'bin');
  await run(join(programs, 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages]);
  return programs;
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const { exitCode, stderr } = await runCommand(program, args, {
    environment: process.env,
    deadlineMs: installWithinMs,
  });
  if (exitCode !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${stderr}`);
}
