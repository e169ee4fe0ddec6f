// The Dockerfile, which buildah builds on a base that has the Node and the libraries of the image: the same files and the same configuration
// as the script writes. A base from a registry may have other versions of them.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { configOf, dockerfile, type ImageConfig, targets } from '../../.config/image/dockerfile.ts';
import { libraryFiles, nodeFiles, buildProgram } from '../../.config/image/files.ts';
import type { Architecture } from '../../.config/image/pins.ts';
import type { TarEntry } from '../../.config/image/tar.ts';

const here: Architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
const text = readFileSync(dockerfile, 'utf8');

function run(file: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(file, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')}: ${error?.message ?? ''}${stdout}${stderr}`);
  return stdout.trim();
}

function write(folder: string, entries: readonly TarEntry[]): void {
  for (const { path, mode, content, owner } of entries) {
    const at = join(folder, path);
    mkdirSync(content ? dirname(at) : at, { recursive: true });
    if (content) writeFileSync(at, content);
    chmodSync(at, mode);
    if (owner !== undefined) chownSync(at, owner, owner);
  }
}

/** What RUN needs, with the libraries that the image lacks. */
function addShell(folder: string): void {
  const programs = ['/bin/sh', '/usr/bin/install'];
  const libraries = programs.flatMap((file) => run('ldd', [file]).match(/\/\S+/g) ?? []);
  for (const file of [...programs, ...libraries]) {
    if (existsSync(join(folder, file))) continue;
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    copyFileSync(file, join(folder, file));
    chmodSync(join(folder, file), 0o755);
  }
}

/** Files with their mode and owner, and the folder of the service. Builders differ in who owns the folders above. */
function listOf(folder: string): string[] {
  return globSync('**', { cwd: folder })
    .map((path) => ({ path, stat: lstatSync(join(folder, path)) }))
    .filter(({ path, stat }) => !stat.isDirectory() || path === 'var/lib/rolealerts')
    .map(({ path, stat }) => `${path} ${(stat.mode & 0o7777).toString(8)} ${stat.uid}`)
    .toSorted();
}

const isPossible = process.getuid?.() === 0 && spawnSync('buildah', ['--version']).status === 0;

describe.skipIf(!isPossible)('the Dockerfile (needs root and buildah)', () => {
  let folder: string;
  let root: string;
  const buildah = (...args: string[]) =>
    run('buildah', ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run'), ...args]);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rolealerts-dockerfile-'));
    root = join(folder, 'root');
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      devDependencies: { node: string };
    };
    const below = [...(await libraryFiles(here)), ...(await nodeFiles(here, devDependencies.node))];
    const { files: program } = await buildProgram();
    write(root, [...below, ...program]);
    const base = join(folder, 'base');
    write(base, below);
    addShell(base);
    const sources = program.filter(({ content }) => content !== undefined);
    const placeOf = (path: string) =>
      path.replace(/^opt\/rolealerts\/(?=LICENSE)/, '').replace('opt/rolealerts', 'dist');
    write(
      join(folder, 'context'),
      sources.map((entry) => ({ ...entry, path: placeOf(entry.path) })),
    );
    const container = buildah('from', 'scratch');
    buildah('add', '--quiet', container, base, '/');
    buildah('commit', '--quiet', container, `docker.io/library/${/^FROM (\S+) AS node$/m.exec(text)?.[1]}`);
  });
  afterAll(async () => {
    buildah('rm', '--all');
    buildah('rmi', '--all', '--force');
    await rm(folder, { recursive: true });
  });

  test.each(targets)('makes the files and the configuration of the image, target %s', (target) => {
    const options = ['--quiet', '--isolation=chroot', '--pull-never', `--build-arg=TARGETARCH=${here}`, '--layers'];
    const image = buildah(
      'bud',
      ...options,
      `--target=${target}`,
      `--file=${dockerfile.pathname}`,
      join(folder, 'context'),
    );
    const made = buildah('from', '--pull-never', image);
    const mounted = buildah('mount', made);
    expect(listOf(mounted)).toEqual(listOf(root));
    expect(run('diff', ['-r', '--no-dereference', root, mounted])).toBe('');
    const { OCIv1 } = JSON.parse(buildah('inspect', made)) as { OCIv1: { config: ImageConfig } };
    const { 'io.buildah.version': _builder, ...Labels } = OCIv1.config.Labels ?? {};
    expect({ ...OCIv1.config, Labels }).toEqual(configOf(target));
  });
});
