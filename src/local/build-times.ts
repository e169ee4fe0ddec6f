// How long builds of the programs take: the last time on this machine, recorded beside the cache folders, or usually.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { indentedJson } from '../lib/indented-json.ts';
import { isWholeNumber, objectOf, parseJson } from '../lib/json-shape.ts';
import type { ProgramName } from './binaries.ts';
import { writePrivateFile } from './kubeconfig.ts';
import { renderTaken } from './progress.ts';

export interface BuildTime {
  readonly durationMs: number;
  /** Compiled packages: the others were in Go's build cache, so a short time with few packages promises little. */
  readonly packages: number;
}

export interface BuildKind {
  readonly names: readonly ProgramName[];
  readonly isOptimized: boolean;
}

/** The sums of the first two and of the last two were measured on two cores with an empty build cache; the shares are rounded. */
const usualMinutes: Readonly<Record<ProgramName, number>> = {
  etcd: 1,
  'kube-apiserver': 5,
  kubectl: 1,
  'kube-controller-manager': 1,
};

/** Of the time of an optimized build: etcd and kube-apiserver took 201 and 214 s, optimized 361 s. */
const unoptimizedShare = 0.6;

/** The last build of exactly these programs; undefined when there was none or its record is unreadable. */
export async function readBuildTime(cacheDirectory: string, kind: BuildKind): Promise<BuildTime | undefined> {
  const { durationMs, packages } = objectOf((await readAll(cacheDirectory))[keyOf(kind)]);
  return isWholeNumber(durationMs, 0) && isWholeNumber(packages, 0) ? { durationMs, packages } : undefined;
}

/** Ignores a failure: the time is a hint for the next build only. */
export async function writeBuildTime(
  cacheDirectory: string,
  kind: BuildKind,
  { durationMs, packages }: BuildTime,
): Promise<void> {
  const time = { durationMs: Math.round(durationMs), packages };
  const all = { ...(await readAll(cacheDirectory)), [keyOf(kind)]: time };
  await writePrivateFile(recordPath(cacheDirectory), indentedJson(all)).catch(() => undefined);
}

/** A sentence about the duration of the build that is about to start. */
export function renderExpectation({ names, isOptimized }: BuildKind, last: BuildTime | undefined): string {
  if (last) return `The last time it took ${renderTaken(last.durationMs)} on this machine (${last.packages} packages).`;
  const optimized = names.reduce((sum, name) => sum + usualMinutes[name], 0);
  const minutes = isOptimized ? optimized : Math.ceil(optimized * unoptimizedShare);
  const amount = minutes === 1 ? 'a minute' : `${minutes} minutes`;
  return `It usually takes about ${amount} on two cores, less if Go has compiled parts of it before.`;
}

async function readAll(cacheDirectory: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readFile(recordPath(cacheDirectory), 'utf8').catch(() => '');
  return objectOf(parseJson(text));
}

function recordPath(cacheDirectory: string): string {
  return join(dirname(cacheDirectory), 'build-times.json');
}

function keyOf({ names, isOptimized }: BuildKind): string {
  return [...names, ...(isOptimized ? [] : ['unoptimized'])].sort().join(' ');
}
