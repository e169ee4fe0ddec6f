// The `--help` of every script lists all of its options.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

const root = new URL('../..', import.meta.url);
const scripts = [
  'test/simulation/main.ts',
  'test/simulation/find-bugs.ts',
  'test/simulation/soak.ts',
  'test/tools/mutation/main.ts',
];
const run = (...args: readonly string[]) => promisify(execFile)(process.execPath, args, { cwd: root });

test('the help explains every option', async () => {
  for (const script of scripts) {
    const source = await readFile(new URL(script, root), 'utf8');
    const options = [...source.matchAll(/ '?([a-z-]+)'?: \{ type: '(?:string|boolean)'/g)].map(([, name]) => name);
    const { stdout } = await run(script, '--help');
    const explained = [...stdout.matchAll(/^ {2}--([a-z-]+) /gm)].map(([, name]) => name);
    expect(options.length, `options of ${script}`).toBeGreaterThan(1);
    expect(new Set(explained), `help of ${script}`).toEqual(new Set(options));
  }
});

test('a mistake is answered with a sentence', async () => {
  for (const script of scripts) {
    await expect(run(script, '--nonsense'), `${script} --nonsense`).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^Unknown option '--nonsense'[^\n]*\nSee --help\.\n$/),
    });
  }
});
