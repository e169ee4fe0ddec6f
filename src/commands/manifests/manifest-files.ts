// Finds and reads the files of `--filename`: a file, a directory with everything below it, or `-` for standard input.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { LocalError, UsageError } from '../../lib/command-errors.ts';
import { unlessStopped } from '../../lib/errors.ts';
import { readFileBytes } from '../../lib/read-bytes.ts';

export interface ManifestFile {
  /** As the user gave it, or the path below the given directory; `-` for standard input. */
  readonly name: string;
  readonly text: string;
  /** False for a file that was found in a directory, where other YAML files may lie. */
  readonly isNamed: boolean;
}

/** What a command reads them with. */
interface ManifestSource {
  /** Standard input: reads to the end, or until there are more than `limitBytes`. */
  readonly input: { read(limitBytes: number): Promise<Uint8Array> };
  /** Ends the reading with a `StoppedError`. */
  readonly stopping: AbortSignal;
}

/** Files larger than this are refused. */
const limitBytes = 16 * 1024 * 1024;

/**
 * Reads the files in the given order, those of a directory by name. Throws a `UsageError` for a path that does not exist and for
 * a directory without manifests, and a `LocalError` for a file that cannot be read, and for an empty one that was named.
 */
export async function readManifestFiles(
  paths: readonly string[],
  { input, stopping }: ManifestSource,
): Promise<readonly ManifestFile[]> {
  return unlessStopped(readPaths(paths, input), stopping, 'The command was stopped.');
}

async function readPaths(paths: readonly string[], input: ManifestSource['input']): Promise<readonly ManifestFile[]> {
  const files: ManifestFile[] = [];
  for (const path of paths) {
    if (path === '-') files.push(named('-', textOf('-', await input.read(limitBytes))));
    else files.push(...(await readPath(path)));
  }
  return files;
}

async function readPath(path: string): Promise<readonly ManifestFile[]> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT'
      ? new UsageError(`${path} does not exist: give --filename a file, a directory, or - for standard input.`)
      : new LocalError(`${path} cannot be read: ${error.message}.`);
  });
  if (!found.isDirectory()) return [named(path, await readManifest(path, true))];
  const names = await manifestsBelow(path);
  if (names.length === 0) {
    throw new UsageError(`${path} has no file that ends in .yaml, .yml or .json: give the directory of the manifests.`);
  }
  // Other programs may keep an empty file there.
  return Promise.all(names.map(async (name) => ({ name, text: await readManifest(name, false), isNamed: false })));
}

/** A command that fails before a pipe writes nothing, and nothing would be valid. */
function named(name: string, text: string): ManifestFile {
  if (text.trim() !== '') return { name, text, isNamed: true };
  if (name === '-') throw new LocalError('Standard input is empty: the command before the pipe wrote no manifest.');
  throw new LocalError(`${name} is empty: give a file with manifests.`);
}

/** Files of YAML and JSON in the directory and below it. Hidden ones and dependencies are left out. */
async function manifestsBelow(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const visible = entries.filter(({ name }) => !name.startsWith('.') && name !== 'node_modules');
  const below = await Promise.all(
    visible.map(async (entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return manifestsBelow(path);
      return /\.(?:ya?ml|json)$/.test(entry.name) ? [path] : [];
    }),
  );
  return below.flat().sort();
}

async function readManifest(name: string, isNamed: boolean): Promise<string> {
  try {
    // A person may name a pipe, as `<(kustomize build)` is one.
    if (!isNamed && !(await stat(name)).isFile()) throw new LocalError(`${name} is not a regular file: remove it.`);
    return textOf(name, await readFileBytes(name, limitBytes));
  } catch (error) {
    if (error instanceof LocalError) throw error;
    throw new LocalError(`${name} cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

function textOf(name: string, bytes: Uint8Array): string {
  if (bytes.length > limitBytes) throw new LocalError(`${name} has more than ${limitBytes} bytes: split it.`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new LocalError(`${name} is not UTF-8 text: save it as UTF-8.`);
  }
}
