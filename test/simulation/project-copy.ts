// Copies of the project in which a deliberate bug can be made.
import { cp, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Edit } from './bugs.ts';

const root = new URL('../..', import.meta.url).pathname;

/** A copy of what a run needs; the packages are shared. */
export async function copyProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-bugs-'));
  for (const part of ['src', 'test', 'crds', 'package.json', 'tsconfig.json']) {
    await cp(join(root, part), join(folder, part), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Resolves with the function that restores the source. */
export async function makeEdit(folder: string, { file, find, replace }: Edit): Promise<() => Promise<void>> {
  const path = join(folder, file);
  const text = await readFile(path, 'utf8');
  if (text.split(find).length !== 2)
    throw new Error(`"${find}" is not in ${file} exactly once; mend test/simulation/bugs/`);
  await writeFile(
    path,
    text.replace(find, () => replace),
  );
  return () => writeFile(path, text);
}
