// Finds the programs that a caller needs, and no others: in KUBEBUILDER_ASSETS, in the cache folder, or by fetching them. When
// no source has them, one error message lists all sources.
import { LocalError } from '../lib/command-errors.ts';
import {
  cacheDirectory,
  controllerManagerName,
  missingOf,
  programNames,
  readCachedPrograms,
  readPrograms,
  renderNames,
  type Binaries,
  type BinariesWithKubectl,
  type ProgramName,
  type Programs,
} from './binaries.ts';
import { fetchPrograms, type ProgramSearch } from './fetch-programs.ts';
import type { Machine } from './machine.ts';
import type { Progress } from './progress.ts';
import { officialRelease, type Release } from './release-binaries.ts';

interface Found {
  readonly programs: Programs;
  readonly origin: string;
}

const withoutControllers = 'deleted namespaces will stay Terminating, and the roles view, edit and admin will be empty';

/** All four programs, in one build. Throws `LocalError`; its message lists the sources and why each of them failed. */
export async function findBinaries(
  machine: Machine,
  progress: Progress,
  release?: Release,
): Promise<BinariesWithKubectl> {
  const found = await findPrograms(machine, progress, programNames, release);
  return { ...binariesOf(found), kubectl: needed(found, 'kubectl') };
}

/**
 * The programs of a control plane without kubectl. Fetches kube-controller-manager only for a caller that `needsControllers`;
 * others get it when it is already there. Throws as `findBinaries` does.
 */
export async function findServers(
  machine: Machine,
  progress: Progress,
  { needsControllers, release }: { readonly needsControllers: boolean; readonly release?: Release | undefined },
): Promise<Binaries> {
  const wanted = programNames.filter(
    (name) => name !== 'kubectl' && (needsControllers || name !== controllerManagerName),
  );
  return binariesOf(await findPrograms(machine, progress, wanted, release));
}

/** kubectl of the cache folder, or fetched into it. Throws as `findBinaries` does. */
export async function findPinnedKubectl(machine: Machine, progress: Progress, release?: Release): Promise<string> {
  return needed(await findPrograms(machine, progress, ['kubectl'], release), 'kubectl');
}

async function findPrograms(
  machine: Machine,
  progress: Progress,
  wanted: readonly ProgramName[],
  release: Release = officialRelease,
): Promise<Found> {
  const directory = cacheDirectory(machine);
  const search = { machine, progress, release, wanted, directory };
  const assets = await fromAssets(search);
  if ('programs' in assets) return assets;
  const cached = await readCachedPrograms(machine, directory);
  const origin = `in the cache folder ${directory}`;
  if (missingOf(cached, wanted).length === 0) return { programs: cached, origin };
  const failures = await fetchPrograms(search);
  const programs = await readCachedPrograms(machine, directory);
  const missing = missingOf(programs, wanted);
  if (missing.some((name) => name !== controllerManagerName)) {
    const cache = Object.keys(cached).length === 0 ? 'not found' : `it lacks ${missing.join(', ')}`;
    throw new LocalError(
      [
        wanted.includes('etcd')
          ? `A local control plane needs ${renderNames(wanted)}. Options:`
          : 'No kubectl fits. Options besides one on the PATH that fits:',
        `  1. set KUBEBUILDER_ASSETS to a folder that holds them (now: ${assets.whyNot})`,
        `  2. put them into ${directory}/ (now: ${cache})`,
        `  3. allow the download from the official releases (now: ${failures.download ?? 'incomplete'})`,
        `  4. install Go (https://go.dev/dl) to build them (now: ${failures.build ?? ''})`,
      ].join('\n'),
    );
  }
  if (missing.length > 0) progress.print(`There is no ${controllerManagerName}: ${withoutControllers}`);
  return { programs, origin };
}

/** The usual envtest archives lack kube-controller-manager. */
async function fromAssets({ machine, progress, wanted }: ProgramSearch): Promise<Found | { readonly whyNot: string }> {
  const assets = machine.environment['KUBEBUILDER_ASSETS'];
  if (!assets) return { whyNot: 'KUBEBUILDER_ASSETS is not set' };
  const programs = await readPrograms(assets);
  const missing = missingOf(programs, wanted);
  const needs = missing.filter((name) => name !== controllerManagerName);
  if (needs.length > 0) return { whyNot: `KUBEBUILDER_ASSETS (${assets}) lacks ${needs.join(', ')}` };
  if (missing.length > 0) progress.print(`KUBEBUILDER_ASSETS has no ${controllerManagerName}: ${withoutControllers}`);
  return { programs, origin: `in KUBEBUILDER_ASSETS (${assets})` };
}

function binariesOf(found: Found): Binaries {
  return {
    etcd: needed(found, 'etcd'),
    kubeApiServer: needed(found, 'kube-apiserver'),
    kubeControllerManager: found.programs[controllerManagerName],
    origin: found.origin,
  };
}

/** A program that was wanted is there: `findPrograms` throws otherwise. */
function needed({ programs, origin }: Found, name: ProgramName): string {
  const path = programs[name];
  if (path === undefined) throw new LocalError(`There is no ${name} ${origin}`);
  return path;
}
