// Copies of the project in which a deliberate bug can be made.
import { globSync } from 'node:fs';
import { cp, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { DeliberateBug, Edit } from './bugs.ts';

const root = new URL('../..', import.meta.url).pathname;

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** A copy of what a run needs; the packages are shared. */
export async function copyProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rolealerts-bugs-'));
  for (const part of ['src', 'test', 'crds', 'package.json', 'tsconfig.json']) {
    await cp(join(root, part), join(folder, part), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

export async function readSources(): Promise<readonly SourceFile[]> {
  const paths = globSync(['src/**/*.ts', 'crds/*.yaml'], { cwd: root, exclude: ['**/generated'] });
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })));
}

/** The files that have the bug. Throws when a quote has no place or several. */
export function filesWith({ behind = [], ...edit }: DeliberateBug, sources: readonly SourceFile[]): SourceFile[] {
  const changes = [edit, ...behind].map((each) => changeOf(each, sources));
  return [...Map.groupBy(changes, ({ file }) => file)].map(([{ path, text }, inFile]) => {
    const ordered = inFile.toSorted((one, other) => other.index - one.index);
    const edit = (now: string, { index, found, replace }: (typeof inFile)[number]) =>
      now.slice(0, index) + replace + now.slice(index + found.length);
    return { path, text: ordered.reduce(edit, text) };
  });
}

function changeOf({ find, replace, crd }: Edit, sources: readonly SourceFile[]) {
  const words = find.trim().split(/\s+/);
  const quote = new RegExp(words.map((word) => RegExp.escape(word)).join('\\s+'), 'g');
  const end = crd === undefined ? '.ts' : `_${crd}.yaml`;
  const [place, ...others] = sources
    .filter(({ path }) => path.endsWith(end))
    .flatMap((file) => [...file.text.matchAll(quote)].map(({ index, 0: found }) => ({ file, index, found, replace })));
  if (!place || others.length > 0) throw new Error(`"${find}" has ${place ? others.length + 1 : 0} places`);
  return place;
}

/** Resolves with the function that restores the source. */
export async function makeBug(
  folder: string,
  bug: DeliberateBug,
  sources: readonly SourceFile[],
): Promise<() => Promise<void>> {
  const files = filesWith(bug, sources);
  const write = (each: readonly SourceFile[]) =>
    Promise.all(each.map(({ path, text }) => writeFile(join(folder, path), text)));
  await write(files);
  return async () => void (await write(sources.filter(({ path }) => files.some((file) => file.path === path))));
}
