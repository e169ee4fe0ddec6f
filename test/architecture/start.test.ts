// What the program loads before it prints: packages and commands that an invocation does not need would cost each of its starts.
import { execFile } from 'node:child_process';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Prints the URL of each module on standard error when the process ends. */
const recorder = `import { registerHooks } from 'node:module';
const urls = [];
registerHooks({ load(url, context, next) { urls.push(url); return next(url, context); } });
process.on('exit', () => process.stderr.write(JSON.stringify(urls.filter((url) => url.startsWith('file:')))));`;

/** The packages and the files of `src/cli` that the program loads with these arguments. */
async function loadedWith(...args: readonly string[]) {
  const preload = `--import=data:text/javascript,${encodeURIComponent(recorder)}`;
  const { stderr } = await promisify(execFile)(process.execPath, [preload, 'src/main.ts', ...args], { cwd: root });
  const [json = '[]'] = stderr.split('\n').slice(-1);
  const files = (JSON.parse(json) as string[]).map((url) => fileURLToPath(url));
  const packages = files.map((file) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]);
  return {
    packages: [...new Set(packages)].filter((name) => name !== undefined).toSorted(),
    commands: files.map((file) => relative(`${root}src/cli`, file)).filter((file) => !file.startsWith('..')),
  };
}

it('the help of the program loads no command', async () => {
  const { packages, commands } = await loadedWith('--help');
  expect(packages).toEqual(['commander']);
  expect(commands.toSorted()).toEqual([
    'command.ts',
    'descriptions.ts',
    'exit-codes.ts',
    'program.ts',
    'unknown-variables.ts',
  ]);
});
