// The version of the program is in package.json. Other files that name it, such as image tags, name the same one.
import { expect, test } from 'vitest';

import { versionFindings } from '../../.config/release/versions.ts';
import { readText } from '../support/checks/findings.ts';

const read = (file: string) => readText(file).text;

test('every file that names a version names the one of package.json', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(versionFindings(version)).toEqual([]);
});

test('the lockfile has no install scripts but those that package.json allows or denies by name', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> };
  const scripted = Object.keys(packages).filter((name) => packages[name]?.hasInstallScript === true);
  expect(scripted.map((name) => name.replace('node_modules/', ''))).toEqual(Object.keys(allowScripts));
  expect(Object.keys(allowScripts).filter((name) => allowScripts[name])).toEqual(['node']);
});
