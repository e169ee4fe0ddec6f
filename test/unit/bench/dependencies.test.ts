// The dependencies that the bench gives to the checkout of another commit.
import { mkdtempSync, mkdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, it } from 'vitest';

import { provideDependencies } from '../../tools/bench/dependencies.ts';

let [folder, own, checkout] = ['', '', ''];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rolealerts-test-'));
  [own, checkout] = [join(folder, 'own'), join(folder, 'checkout')];
  for (const each of [join(own, 'pino'), join(own, '@scope/lib'), checkout]) mkdirSync(each, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

async function provide(dependencies: readonly string[], install = () => Promise.resolve()) {
  const versions = Object.fromEntries(dependencies.map((name) => [name, '1.0.0']));
  writeFileSync(join(checkout, 'package.json'), JSON.stringify({ dependencies: versions }));
  const done = { installed: [] as string[], announced: [] as string[] };
  await provideDependencies('9eebd70', checkout, {
    own,
    install: (directory) => {
      done.installed.push(directory);
      return install();
    },
    announce: (line) => done.announced.push(line),
  });
  return done;
}

it('a commit that names nothing else gets the dependencies of this checkout', async () => {
  expect(await provide(['pino', '@scope/lib'])).toEqual({ installed: [], announced: [] });
  expect(readlinkSync(join(checkout, 'node_modules'))).toBe(own);
});

it('a commit that names a package which this checkout lacks gets its own dependencies', async () => {
  expect(await provide(['pino', 'pino-pretty', '@scope/other'])).toEqual({
    installed: [checkout],
    announced: [
      '9eebd70 needs pino-pretty, @scope/other, which this checkout lacks: installing its own dependencies with npm ci',
    ],
  });
  expect(() => readlinkSync(join(checkout, 'node_modules'))).toThrow('ENOENT');
});

it('a failed installation names the commit and the way around it', async () => {
  const failing = provide(['pino-pretty'], () => Promise.reject(new Error('npm failed: no network')));
  await expect(failing).rejects.toThrow(
    'npm ci failed for the dependencies of 9eebd70. Install them in a checkout of 9eebd70 and pass its directory to --against instead.',
  );
  await expect(failing).rejects.toMatchObject({ cause: { message: 'npm failed: no network' } });
});
