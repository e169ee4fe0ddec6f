// The version of the program is in package.json. Other files that name it, such as image tags, name the same one.
import { readFile } from 'node:fs/promises';

import { describe, expect, it } from 'vitest';

const root = new URL('../..', import.meta.url);
const read = (path: string) => readFile(new URL(path, root), 'utf8');
const { version } = JSON.parse(await read('package.json')) as { version: string };

/** How many times each file names the version, as the tag of an image or otherwise. */
const naming = [
  ['package-lock.json', 2, /"name": "rolealerts",\s+"version": "([^"]+)"/g],
  ['deploy/base/kustomization.yaml', 1, /newTag: (\S+)/g],
  ['deploy/alerts-service/kustomization.yaml', 1, /newTag: (\S+)/g],
  ['deploy/Dockerfile', 3, /rolealerts(?:-service)?:(\d\S*)/g],
  ['deploy/reference/emulator.md', 2, /rolealerts(?:-service)?:(\d[^\s)`]*)/g],
  ['deploy/README.md', 2, /rolealerts(?:-service)?:(\d[^\s)]*)/g],
] as const;

describe('the version in package.json', () => {
  it.each(naming)('is the one that %s names', async (path, count, pattern) => {
    const named = [...(await read(path)).matchAll(pattern)].map(([, each]) => each);
    expect(named).toEqual(Array.from({ length: count }, () => version));
  });
});

it('the lockfile has no install scripts but those that package.json allows or denies by name', async () => {
  const { packages } = JSON.parse(await read('package-lock.json')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const { allowScripts } = JSON.parse(await read('package.json')) as { allowScripts: Record<string, boolean> };
  const scripted = Object.keys(packages).filter((name) => packages[name]?.hasInstallScript === true);
  expect(scripted.map((name) => name.replace('node_modules/', ''))).toEqual(Object.keys(allowScripts));
  expect(Object.keys(allowScripts).filter((name) => allowScripts[name])).toEqual(['node']);
});
