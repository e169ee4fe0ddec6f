// Fetches programs into the cache folder: downloads them, or builds them when that fails. The output says from the first line
// what is fetched, why it is built, how long that takes, and that it happens once.
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { LocalError } from '../lib/command-errors.ts';
import { messageOf } from '../lib/errors.ts';
import { makeDirectory } from '../lib/make-directory.ts';
import { missingOf, readPrograms, renderNames, type ProgramName } from './binaries.ts';
import { withFileLock } from './file-lock.ts';
import { buildPrograms, hasGo } from './go-build.ts';
import { renderTaken, type Print } from './long-steps.ts';
import type { Machine } from './machine.ts';
import { downloadPrograms, type Release } from './release-binaries.ts';

export interface ProgramSearch {
  readonly machine: Machine;
  readonly print: Print;
  readonly release: Release;
  readonly wanted: readonly ProgramName[];
  /** The cache folder. */
  readonly directory: string;
}

/** Why a source did not provide the programs. Undefined when it did, or was not asked. */
interface Failures {
  readonly download: string | undefined;
  readonly build: string | undefined;
}

/** Longer than the longest build, to wait for the build of another process instead of repeating it. */
const lockWithinMs = 90 * 60_000;

/** The sums of the first two and of the last two were measured on two cores with an empty build cache; the shares are rounded. */
const usualMinutes: Readonly<Record<ProgramName, number>> = {
  etcd: 1,
  'kube-apiserver': 5,
  kubectl: 1,
  'kube-controller-manager': 1,
};

/** Fetches the wanted programs that the cache folder lacks, one process at a time. The caller checks the folder afterwards. */
export async function fetchPrograms(search: ProgramSearch): Promise<Failures> {
  const { machine, print, directory } = search;
  print(`Fetching ${renderNames(await missing(search))} into ${directory}. This happens once.`);
  const lock = {
    clock: machine.clock,
    withinMs: lockWithinMs,
    signal: machine.stopping,
    onWaiting: () => print('Another process is already fetching the control plane; waiting for it'),
  };
  return withFileLock(`${directory}.lock`, lock, async () => {
    const download = await fetchFrom(search, 'The download failed', downloadMissing);
    const build = await fetchFrom(search, 'The build failed', buildMissing);
    return { download, build };
  });
}

type Source = (search: ProgramSearch, names: readonly ProgramName[]) => Promise<void>;

/** Resolves with the message of a failure, which it also prints. Asks the source only when a program is missing. */
async function fetchFrom(search: ProgramSearch, headline: string, source: Source): Promise<string | undefined> {
  const names = await missing(search);
  try {
    if (names.length > 0) await source(search, names);
    return undefined;
  } catch (error) {
    search.print(`${headline}: ${messageOf(error)}`);
    return messageOf(error);
  }
}

async function downloadMissing(search: ProgramSearch, names: readonly ProgramName[]): Promise<void> {
  const { machine, print, release } = search;
  print('Trying to download the official release first');
  await install(search, 'download', names, (staging) => downloadPrograms(machine, release, staging, names));
}

async function buildMissing(search: ProgramSearch, names: readonly ProgramName[]): Promise<void> {
  const { machine, print } = search;
  if (!(await hasGo(machine))) throw new LocalError('Go is not installed');
  const minutes = names.reduce((sum, name) => sum + usualMinutes[name], 0);
  print(
    `Without a download, Go builds ${renderNames(names)} from modules. ` +
      `It usually takes about ${minutes === 1 ? 'a minute' : `${minutes} minutes`} on two cores, less if Go has compiled parts of it before.`,
  );
  await install(search, 'build', names, (staging) => buildPrograms(machine, staging, names));
}

/**
 * Fills a folder next to the cache folder and then renames its programs into that, each atomically: a control plane may be
 * running from there. A retry reuses the files of a failed attempt.
 */
async function install(
  { machine, print, directory }: ProgramSearch,
  way: 'download' | 'build',
  names: readonly ProgramName[],
  fill: (staging: string) => Promise<void>,
): Promise<void> {
  const startMs = machine.clock.monotonic();
  const staging = `${directory}.${way}`;
  await makeDirectory(staging);
  await fill(staging);
  await makeDirectory(directory);
  const present = await readPrograms(directory);
  for (const [name, path] of Object.entries(await readPrograms(staging)))
    if (!Object.hasOwn(present, name)) await rename(path, join(directory, name));
  await rm(staging, { recursive: true, force: true });
  const taken = renderTaken(machine.clock.monotonic() - startMs);
  print(`${way === 'build' ? 'Built' : 'Downloaded'} ${renderNames(names)} in ${taken}: ${directory}`);
}

async function missing({ directory, wanted }: ProgramSearch): Promise<readonly ProgramName[]> {
  return missingOf(await readPrograms(directory), wanted);
}
