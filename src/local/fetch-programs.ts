// Fetches programs into the cache folder: downloads them, or builds them when that fails. The output says from the first line
// what is fetched, why it is built, how long that takes, and that it happens once.
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { LocalError } from '../lib/command-errors.ts';
import { messageOf } from '../lib/errors.ts';
import { makeDirectory } from '../lib/make-directory.ts';
import {
  missingOf,
  programNames,
  readCachedPrograms,
  readPrograms,
  renderNames,
  unoptimizedDirectory,
  type ProgramName,
} from './binaries.ts';
import { readBuildTime, renderExpectation, writeBuildTime } from './build-times.ts';
import { withFileLock } from './file-lock.ts';
import { buildPrograms, hasGo } from './go-build.ts';
import type { Machine } from './machine.ts';
import { renderTaken, type Progress } from './progress.ts';
import { downloadPrograms, dropDownloads, type Release } from './release-binaries.ts';

export interface FetchOptions {
  readonly machine: Machine;
  readonly progress: Progress;
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

/** Fetches the wanted programs that the cache folder lacks, one process at a time. The caller checks the folder afterwards. */
export async function fetchPrograms(options: FetchOptions): Promise<Failures> {
  const { machine, progress, directory } = options;
  progress.print(`Fetching ${renderNames(await missing(options))} into ${directory}. This happens once.`);
  const lock = {
    clock: machine.clock,
    withinMs: lockWithinMs,
    signal: machine.stopping,
    onWaiting: () => progress.print('Another process is already fetching the control plane; waiting for it'),
  };
  return withFileLock(`${directory}.lock`, lock, async () => {
    const download = await fetchFrom(options, 'The download failed', downloadMissing);
    const build = await fetchFrom(options, 'The build failed', buildMissing);
    await dropUnoptimized(directory);
    return { download, build };
  });
}

type Source = (options: FetchOptions, names: readonly ProgramName[]) => Promise<void>;

/** Resolves with the message of a failure, which it also prints. Asks the source only when a program is missing. */
async function fetchFrom(options: FetchOptions, headline: string, source: Source): Promise<string | undefined> {
  const names = await missing(options);
  if (names.length === 0) return undefined;
  try {
    await source(options, names);
    return undefined;
  } catch (error) {
    const message = error instanceof LocalError ? error.message : messageOf(error);
    options.progress.print(`${headline}: ${message}`);
    return message;
  }
}

async function downloadMissing(options: FetchOptions, names: readonly ProgramName[]): Promise<void> {
  const { machine, progress, release, directory } = options;
  const startMs = machine.clock.monotonic();
  progress.print('Trying to download the official release first');
  await install(`${directory}.download`, directory, async (staging) => {
    await downloadPrograms(machine, progress, release, staging, names);
    await dropDownloads(staging);
  });
  printDone(options, 'Downloaded', names, startMs);
}

async function buildMissing(options: FetchOptions, names: readonly ProgramName[]): Promise<void> {
  const { machine, progress } = options;
  if (!(await hasGo(machine))) throw new LocalError('Go is not installed');
  const startMs = machine.clock.monotonic();
  const isOptimized = machine.skipsOptimization !== true;
  const kind = { names, isOptimized };
  const directory = isOptimized ? options.directory : unoptimizedDirectory(options.directory);
  const expectation = renderExpectation(kind, await readBuildTime(options.directory, kind));
  progress.print(`Without a download, Go builds ${renderNames(names)} from modules. ${expectation}`);
  await install(`${options.directory}.build`, directory, async (staging) => {
    const packages = await buildPrograms(machine, progress, staging, names);
    await writeBuildTime(options.directory, kind, { durationMs: machine.clock.monotonic() - startMs, packages });
  });
  printDone({ ...options, directory }, 'Built', names, startMs);
}

/**
 * Fills a folder next to the cache folder and then renames its programs into it, each atomically: a control plane may be
 * running from there. A retry reuses the files of a failed attempt.
 */
async function install(staging: string, directory: string, fill: (staging: string) => Promise<void>): Promise<void> {
  await makeDirectory(staging);
  await fill(staging);
  await makeDirectory(directory);
  const present = await readPrograms(directory);
  const filled = await readPrograms(staging);
  for (const name of programNames) {
    const path = filled[name];
    if (path !== undefined && present[name] === undefined) await rename(path, join(directory, name));
  }
  await rm(staging, { recursive: true, force: true });
}

/** The optimized programs replace the others; a control plane that runs from there keeps its files. */
async function dropUnoptimized(directory: string): Promise<void> {
  const optimized = await readPrograms(directory);
  const dropped = programNames.filter((name) => optimized[name] !== undefined);
  await Promise.all(dropped.map((name) => rm(join(unoptimizedDirectory(directory), name), { force: true })));
}

async function missing({ machine, directory, wanted }: FetchOptions): Promise<readonly ProgramName[]> {
  return missingOf(await readCachedPrograms(machine, directory), wanted);
}

function printDone(options: FetchOptions, verb: string, names: readonly ProgramName[], startMs: number): void {
  const { machine, progress, directory } = options;
  const taken = renderTaken(machine.clock.monotonic() - startMs);
  progress.print(`${verb} ${renderNames(names)} in ${taken}: ${directory}`);
}
