// The sources in a checkout, which `npm run rolealerts` starts: the only tests that do not start the bundle. In a checkout in which `npm ci` has
// not run, or not with this version of Node, they say what to do.
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { readBuildFacts } from '../../src/lib/build-facts.ts';
import { runCommand } from '../../src/local/run-command.ts';
import { testMachine } from '../support/rigs/local-machine.ts';
import { declaredActive, policyYaml } from '../support/rigs/preview-rig.ts';
import { programEnvironment } from '../support/rigs/program.ts';
import { describeWithControlPlane } from '../support/servers/control-plane.ts';

/** A checkout in a path with a space, without node_modules. */
async function newCheckout(): Promise<string> {
  const checkout = join(testMachine().directory, 'new checkout');
  for (const name of ['package.json', '.npmrc', '.config', 'src']) {
    await cp(name, join(checkout, name), { recursive: true });
  }
  return checkout;
}

const run = (directory: string, file: string, ...args: string[]) =>
  runCommand(file, args, { environment: process.env, directory, deadlineMs: 60_000 });

it('the program names the package that is missing and what to run', async () => {
  const checkout = await newCheckout();
  const stderr = `rolealerts: The package commander is not installed. Run npm ci in ${checkout} first.\n`;
  expect(await run(checkout, process.execPath, 'src/main.ts', '--help')).toEqual({ exitCode: 1, stdout: '', stderr });
});

it.each(['rolealerts', 'demo', 'simulate', 'test', 'check', 'fix', 'build'])(
  'npm run %s says that npm ci has to run first',
  async (script) => {
    const checkout = await newCheckout();
    const stderr = `rolealerts: The dependencies are not installed. Run npm ci in ${checkout} first.\n`;
    expect(await run(checkout, 'npm', 'run', '-s', script)).toEqual({ exitCode: 1, stdout: '', stderr });
  },
);

it('every script checks for npm ci first, or runs a script that does', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const checksFirst = (script: string | undefined): boolean =>
    script !== undefined &&
    (/^node .*\.config\/installed\.mjs /.test(script) ||
      checksFirst(scripts[/^npm run -s (\S+)/.exec(script)?.[1] ?? '']));
  expect(Object.keys(scripts).filter((name) => !checksFirst(scripts[name]))).toEqual([]);
});

it('an old Node is named where the one of the project is missing', async () => {
  const checkout = await newCheckout();
  await mkdir(join(checkout, 'node_modules'));
  const pretend = ['version', 'versions'].map(
    (name) => `Object.defineProperty(process, '${name}', { value: ${name} });`,
  );
  const old = `const version = 'v20.20.2', versions = { node: '20.20.2' }; ${pretend.join('')}`;
  const preloads = [`--import=data:text/javascript,${encodeURIComponent(old)}`, '--import=./.config/installed.mjs'];
  const { exitCode, stderr } = await run(checkout, process.execPath, ...preloads, 'src/main.ts');
  expect(stderr).toBe(
    `rolealerts: The Node of this project is not installed, and v20.20.2 is older than Node 24. Run npm ci in ${checkout} first.\n`,
  );
  expect(exitCode).toBe(1);
});

const npmRun = (...words: readonly string[]) =>
  runCommand('npm', ['run', '-s', 'rolealerts', '--', ...words], {
    environment: programEnvironment(),
    deadlineMs: 300_000,
  });

it('npm run rolealerts runs the program', async () => {
  const { exitCode, stdout } = await npmRun('version', '-o', 'json');
  expect([exitCode, JSON.parse(stdout)]).toEqual([
    0,
    expect.objectContaining({ client: expect.objectContaining(readBuildFacts()) }),
  ]);
});

it('npm run rolealerts finds files from the folder of its caller', async () => {
  const { directory } = testMachine();
  await writeFile(join(directory, 'mine.yaml'), policyYaml('owners', 'subscriptions/a', declaredActive('Owners')));
  const words = ['--prefix', process.cwd(), 'run', '-s', 'rolealerts', '--'];
  expect(await run(directory, 'npm', ...words, 'validate', '-f', 'mine.yaml')).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: '1 object checked, 0 errors, 0 warnings.\n',
  });
});

describeWithControlPlane('a control plane that npm run rolealerts brought up', () => {
  it('prints commands that work when they are pasted in another folder', async () => {
    const stateDirectory = join(testMachine().directory, 'my state');
    onTestFinished(async () => void (await npmRun('local', 'down', '--state-dir', stateDirectory)));
    const { exitCode, stdout } = await npmRun('local', 'up', '--state-dir', stateDirectory);
    expect(exitCode).toBe(0);
    const paste = async (label: string) => {
      const [, command = ''] = new RegExp(`^ +${label}: +(.*)$`, 'm').exec(stdout) ?? [];
      return runCommand('sh', ['-c', command], { environment: process.env, directory: '/', deadlineMs: 300_000 });
    };
    expect((await paste('try')).stdout).toContain('kube-system');
    expect((await paste('stop it')).stdout).toBe('The control plane has stopped\n');
    expect(existsSync(join(stateDirectory, 'kubeconfig'))).toBe(false);
  });
});
