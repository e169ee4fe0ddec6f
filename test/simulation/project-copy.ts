// Copies of the project in which a deliberate bug can be made.
import { globSync } from 'node:fs';
import { cp, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { DeliberateBug } from './bugs.ts';
import { type SourceFile, SourcePlaces } from './source-places.ts';

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

export async function readPlaces(): Promise<SourcePlaces> {
  const paths = globSync(['src/**/*.ts', 'crds/*.yaml'], { cwd: root, exclude: ['**/generated'] });
  return new SourcePlaces(
    await Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') }))),
  );
}

/** The files of the project that have the bug. */
export function filesWith({ behind = [], ...edit }: DeliberateBug, places: SourcePlaces): SourceFile[] {
  return places.edited([edit, ...behind]);
}

/** Resolves with the function that restores the source. */
export async function makeBug(folder: string, bug: DeliberateBug, places: SourcePlaces): Promise<() => Promise<void>> {
  const files = filesWith(bug, places);
  const write = (each: readonly SourceFile[]) =>
    Promise.all(each.map(({ path, text }) => writeFile(join(folder, path), text)));
  const before = await Promise.all(
    files.map(async ({ path }) => ({ path, text: await readFile(join(folder, path), 'utf8') })),
  );
  await write(files);
  return async () => void (await write(before));
}
