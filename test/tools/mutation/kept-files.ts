// Files that a run keeps for the next one, in a folder that git ignores.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './project.ts';

const folder = join(root, '.rolealerts', 'mutation');

/** Undefined when there is none, or it cannot be read. */
export function kept(name: string): unknown {
  try {
    return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as unknown;
  } catch {
    return undefined;
  }
}

export function keep(name: string, value: unknown): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${name}.json`);
  writeFileSync(`${path}.new`, JSON.stringify(value));
  renameSync(`${path}.new`, path);
}

export function hashOf(...texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text).update('\0');
  return hash.digest('hex').slice(0, 16);
}

/** Of the contents of files of the project. */
export function hashOfFiles(paths: readonly string[]): string {
  return hashOf(...paths.flatMap((path) => [path, readFileSync(`${root}${path}`, 'utf8')]));
}
