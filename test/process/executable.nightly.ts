// The single executable: one file with Node inside, which needs neither npm nor node_modules.
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { buildExecutable } from '../../.config/build-executable.ts';
import { runCommand } from '../../src/local/run-command.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

const sample = new URL('../../deploy/samples/policy-enforce.yaml', import.meta.url).pathname;

describeWithControlPlane('the executable', (controlPlane) => {
  let directory: string;
  let file: string;
  const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}, program = file) =>
    runCommand(program, args, { environment, directory, deadlineMs: 120_000 });

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'rolealerts-executable-test-'));
    file = await buildExecutable(directory);
  });
  afterAll(() => rm(directory, { recursive: true }));

  test('has the version of the checkout', async () => {
    const { exitCode, stdout, stderr } = await run(['version']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^rolealerts \d+\.\d+\.\d+\ncommit: /);
  });

  test('validates a file', async () => {
    expect(await run(['validate', '-f', sample])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: '1 object checked, 0 errors, 0 warnings.\n',
    });
  });

  test('reads a cluster', async () => {
    const { exitCode, stdout } = await run(['status', '-n', 'default'], { KUBECONFIG: controlPlane.kubeconfigPath });
    const found = 'No policies and no connections found in namespace default; --all-namespaces reads the others.\n';
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: found });
  });

  test('is a plugin of kubectl by its name on the PATH', async () => {
    const plugin = join(directory, 'kubectl-rolealerts');
    await symlink(file, plugin);
    const { exitCode, stdout } = await run(['status', '--help'], {}, plugin);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Usage: kubectl rolealerts status \[options\] \[NAME\.\.\.\]\n/);
  });

  test('answers wrong usage with 64, and names the checkout for commands that it does not contain', async () => {
    expect((await run(['--nonsense'])).exitCode).toBe(64);
    expect((await run(['--help'])).stdout).not.toMatch(/^ {2}(?:demo|local)\b/m);
    const { exitCode, stderr } = await run(['demo', '--once']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^rolealerts: This build does not contain the command demo: run npm ci .* in a checkout\.\n$/,
    );
  });
});
