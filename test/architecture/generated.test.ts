// Every generated file is what `npm run generate` would write now.
import { readdir, readFile } from 'node:fs/promises';

import { expect, test } from 'vitest';

import { generateTypes } from '../../.config/generate.ts';

const root = new URL('../..', import.meta.url);
const generated = await generateTypes(root);

test.each([...generated])('%s is what npm run generate makes of the CRDs', async (path, text) => {
  const committed = await readFile(new URL(path, root), 'utf8');
  expect(committed, 'stale: run npm run generate and commit the result').toBe(text);
});

test.each(['src/policy/generated', 'src/manifests/generated'])('nothing else lies in %s', async (folder) => {
  const present = await readdir(new URL(folder, root));
  const expected = [...generated.keys()].filter((path) => path.startsWith(`${folder}/`));
  expect(present.map((name) => `${folder}/${name}`).sort()).toEqual(expected.sort());
});
