// Finds the programs that a caller needs, and no others: in KUBEBUILDER_ASSETS, in the cache folder, or by fetching them. When
// no source has them, one error message lists all sources.
import { dirname } from 'node:path';

import { LocalError } from '../lib/command-errors.ts';
import {
  cacheDirectory,
  controllerManagerName,
  kubernetesVersion,
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
import { fetchPrograms } from './fetch-programs.ts';
import { findInstalledKubectl } from './installed-kubectl.ts';
import { parseKubernetesVersion, whyKubectlDoesNotFit } from './kubernetes-version.ts';
import type { Machine } from './machine.ts';
import type { Progress } from './progress.ts';
import { officialRelease, type Release } from './release-binaries.ts';
import { runCommand } from './run-command.ts';

interface Search {
  readonly machine: Machine;
  readonly progress: Progress;
  readonly release: Release;
  readonly wanted: readonly ProgramName[];
}

interface Found {
  readonly programs: Programs;
  readonly origin: string;
}

const withoutControllers = 'deleted namespaces will stay Terminating, and the roles view, edit and admin will be empty';

/** All four programs, in one build. Throws `LocalError`; its message lists the sources and why each of them failed. */
export async function findBinaries(
  machine: Machine,
  progress: Progress,
  release: Release = officialRelease,
): Promise<BinariesWithKubectl> {
  const found = await findPrograms({ machine, progress, release, wanted: programNames });
  return { ...binariesOf(found), kubectl: needed(found, 'kubectl') };
}

/**
 * The programs of a control plane without kubectl. Fetches kube-controller-manager only for a caller that `needsControllers`;
 * others get it when it is already there. Throws as `findBinaries` does.
 */
export async function findServers(
  machine: Machine,
  progress: Progress,
  { needsControllers, release = officialRelease }: { readonly needsControllers: boolean; readonly release?: Release },
): Promise<Binaries> {
  const controllers = needsControllers ? ([controllerManagerName] as const) : [];
  const wanted = ['etcd', 'kube-apiserver', ...controllers] as const;
  return binariesOf(await findPrograms({ machine, progress, release, wanted }));
}

/**
 * A kubectl that fits kube-apiserver: the one beside it, the one on the PATH, or a fetched one. Resolves with an absolute path.
 * Throws as `findBinaries` does.
 */
export async function findKubectl(
  machine: Machine,
  progress: Progress,
  servers: Binaries,
  release: Release = officialRelease,
): Promise<string> {
  const beside = (await readPrograms(dirname(servers.kubeApiServer))).kubectl;
  if (beside !== undefined) return beside;
  const version = await readVersion(machine, servers.kubeApiServer);
  const installed = await findInstalledKubectl(machine, version);
  if ('path' in installed) return installed.path;
  progress.print(installed.whyNot);
  const whyNot = version === undefined ? undefined : whyKubectlDoesNotFit(kubernetesVersion, version);
  if (whyNot !== undefined) throw new LocalError(`kubectl ${kubernetesVersion} does not fit either: ${whyNot}`);
  return needed(await findPrograms({ machine, progress, release, wanted: ['kubectl'] }), 'kubectl');
}

async function findPrograms(search: Search): Promise<Found> {
  const { machine, progress, wanted } = search;
  const directory = cacheDirectory(machine);
  const assets = await fromAssets(search, directory);
  if ('programs' in assets) return assets;
  const cached = await readCachedPrograms(machine, directory);
  const origin = `in the cache folder ${directory}`;
  if (missingOf(cached, wanted).length === 0) return { programs: cached, origin };
  const failures = await fetchPrograms({ ...search, directory });
  const programs = await readCachedPrograms(machine, directory);
  const missing = missingOf(programs, wanted);
  if (missing.some((name) => name !== controllerManagerName)) {
    throw new LocalError(
      renderSources(search, directory, [
        assets.whyNot,
        whyNotCached(cached, missing),
        failures.download,
        failures.build,
      ]),
    );
  }
  if (missing.length > 0) progress.print(`There is no ${controllerManagerName}: ${withoutControllers}`);
  return { programs, origin };
}

async function fromAssets(
  { machine, progress, wanted }: Search,
  directory: string,
): Promise<Found | { readonly whyNot: string }> {
  const assets = machine.environment['KUBEBUILDER_ASSETS'];
  if (!assets) return { whyNot: 'KUBEBUILDER_ASSETS is not set' };
  const programs = await readPrograms(assets);
  const missing = missingOf(programs, wanted);
  const needs = missing.filter((name) => name !== controllerManagerName);
  if (needs.length > 0) return { whyNot: `KUBEBUILDER_ASSETS (${assets}) lacks ${needs.join(', ')}` };
  const origin = `in KUBEBUILDER_ASSETS (${assets})`;
  if (missing.length === 0) return { programs, origin };
  const controllerManager = await cachedControllerManager(machine, programs, directory);
  if (controllerManager === undefined) {
    progress.print(`KUBEBUILDER_ASSETS has no ${controllerManagerName}: ${withoutControllers}`);
  }
  return {
    programs: { ...programs, ...(controllerManager && { [controllerManagerName]: controllerManager }) },
    origin,
  };
}

/** The usual envtest archives lack kube-controller-manager; the cache folder may hold one of the same minor version. */
async function cachedControllerManager(
  machine: Machine,
  assets: Programs,
  directory: string,
): Promise<string | undefined> {
  const cached = (await readPrograms(directory))[controllerManagerName];
  if (cached === undefined || assets['kube-apiserver'] === undefined) return undefined;
  const own = await readMinorVersion(machine, assets['kube-apiserver']);
  return own !== undefined && (await readMinorVersion(machine, cached)) === own ? cached : undefined;
}

/** `1.36` of `v1.36.3`. */
async function readMinorVersion(machine: Machine, file: string): Promise<string | undefined> {
  const version = parseKubernetesVersion((await readVersion(machine, file)) ?? '');
  return version && `${version.major}.${version.minor}`;
}

/** `v1.36.3` from the output of `--version`: `Kubernetes v1.36.3`. */
async function readVersion(machine: Machine, file: string): Promise<string | undefined> {
  const options = { environment: machine.environment, deadlineMs: 10_000 };
  const result = await runCommand(file, ['--version'], options).catch(() => undefined);
  return /v[0-9]+\.[0-9]+\.\S+/.exec(result?.stdout ?? '')?.[0];
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

function whyNotCached(cached: Programs, missing: readonly ProgramName[]): string {
  return Object.keys(cached).length === 0 ? 'not found' : `it lacks ${missing.join(', ')}`;
}

function renderSources({ wanted }: Search, directory: string, whyNot: readonly (string | undefined)[]): string {
  const [assets = '', cache = '', download = 'incomplete', build = ''] = whyNot;
  return [
    wanted.includes('etcd')
      ? `A local control plane needs ${renderNames(wanted)}. Options:`
      : 'No kubectl fits. Options besides one on the PATH that fits:',
    `  1. set KUBEBUILDER_ASSETS to a folder that holds them (now: ${assets})`,
    `  2. put them into ${directory}/ (now: ${cache})`,
    `  3. allow the download from the official releases (now: ${download})`,
    `  4. install Go (https://go.dev/dl) to build them (now: ${build})`,
  ].join('\n');
}
