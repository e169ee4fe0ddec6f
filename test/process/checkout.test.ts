// The sources in a checkout, which `npm run rolealerts` starts: the only tests that do not start the bundle. In a checkout in which `npm ci` has
// not run, or not with this version of Node, they say what to do.
import { readFileSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { runCommand } from '../../src/local/run-command.ts';
import { testMachine } from '../support/rigs/local-machine.ts';
import { declaredActive, policyYaml } from '../support/rigs/preview-rig.ts';

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

it('a script of npm says that npm ci has to run first', async () => {
  const checkout = await newCheckout();
  const stderr = `rolealerts: The dependencies are not installed. Run npm ci in ${checkout} first.\n`;
  expect(await run(checkout, 'npm', 'run', '-s', 'test')).toEqual({ exitCode: 1, stdout: '', stderr });
});

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

it('npm run rolealerts runs the program, which finds files from the folder of its caller', async () => {
  const { directory } = testMachine();
  await writeFile(join(directory, 'mine.yaml'), policyYaml('owners', 'subscriptions/a', declaredActive('Owners')));
  const words = ['--prefix', process.cwd(), 'run', '-s', 'rolealerts', '--'];
  expect(await run(directory, 'npm', ...words, 'validate', '-f', 'mine.yaml')).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: '1 object checked, 0 errors, 0 warnings.\n',
  });
});
