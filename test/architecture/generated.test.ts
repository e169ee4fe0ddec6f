// Every generated file is what `npm run generate` would write now.
import { readdir } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { generateFiles } from '../../.config/generate.ts';
import { readText, root, staleIn } from '../support/checks/findings.ts';

const generated = await generateFiles(root);

test('every generated file is what npm run generate makes', () => {
  expect([...generated].flatMap(([file, text]) => staleIn(readText(file), text))).toEqual([]);
});

test('nothing else is in the folders of generated files', async () => {
  const folders = ['src/policy/generated'];
  const present = await Promise.all(
    folders.map(async (folder) => (await readdir(new URL(folder, root))).map((name) => `${folder}/${name}`)),
  );
  expect(present.flat().sort()).toEqual(
    [...generated.keys()].filter((file) => folders.some((folder) => file.startsWith(`${folder}/`))).sort(),
  );
});
