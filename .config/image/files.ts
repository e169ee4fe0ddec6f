// The files of the image, in three layers of which an upgrade replaces the smallest: libraries, Node, and the program.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'rolldown';

import { bundleApart } from '../rolldown.ts';
import { fetchDebianPackages, fetchNode, readNodeLicence, run, withTemporaryFolder } from './fetch.ts';
import { type Architecture, debianPackages, pathFor } from './pins.ts';
import type { TarEntry } from './tar.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const entry = (path: string, mode: number, content: Uint8Array): TarEntry => ({ path: path.slice(1), mode, content });

/** Libraries are executable, as in Debian the loader and libc.so.6 are. */
export async function libraryFiles(architecture: Architecture): Promise<readonly TarEntry[]> {
  const packages = await fetchDebianPackages(architecture);
  return withTemporaryFolder(async (directory) => {
    const entries: TarEntry[] = [];
    for (const { name, files } of debianPackages) {
      const file = join(directory, 'package.deb');
      const unpacked = join(directory, name);
      await writeFile(file, packages.get(name) ?? '');
      await run('dpkg-deb', ['--extract', file, unpacked], directory);
      for (const path of files.map((each) => pathFor(architecture, each))) {
        // The link to the loader names the absolute path.
        const source = path.replace(/^\/lib64\//, '/lib/x86_64-linux-gnu/');
        entries.push(entry(path, path.includes('/doc/') ? 0o644 : 0o755, await readFile(join(unpacked, source))));
      }
    }
    return entries;
  });
}

export async function nodeFiles(architecture: Architecture, version: string): Promise<readonly TarEntry[]> {
  return [
    entry('/usr/local/bin/node', 0o755, await fetchNode(architecture, version)),
    entry('/usr/local/LICENSE', 0o644, await readNodeLicence()),
  ];
}

export interface Program {
  readonly files: readonly TarEntry[];
  /** The source files that are in the bundle. */
  readonly modules: readonly string[];
}

/** The bundle and the folder of the alerts service. The working directory must be the checkout. */
export async function buildProgram(): Promise<Program> {
  const { output } = await build({ ...bundleApart(), write: false });
  const chunks = output.map((part) => {
    if (part.type !== 'chunk') throw new Error(`${part.fileName}: the image takes only code`);
    return part;
  });
  const bundle = chunks.map(({ fileName, code }) => entry(`/opt/rolealerts/${fileName}`, 0o444, Buffer.from(code)));
  const licence = entry('/opt/rolealerts/LICENSE', 0o444, await readFile(join(root, 'LICENSE')));
  return {
    files: [...bundle, licence, { path: 'var/lib/rolealerts', mode: 0o700, owner: 65532 }],
    modules: chunks.flatMap(({ moduleIds }) => moduleIds),
  };
}
