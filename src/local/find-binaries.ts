// Finds the programs that a caller needs, and no others: in KUBEBUILDER_ASSETS, in the cache folder, or by fetching them. When
// no source has them, one error message lists all sources.
import { LocalError } from '../lib/command-errors.ts';
import {
  cacheDirectory,
  controllerManagerName,
  missingOf,
  programNames,
  readPrograms,
  renderNames,
  type Binaries,
  type BinariesWithKubectl,
  type ProgramName,
  type Programs,
} from './binaries.ts';
import { fetchPrograms, type ProgramSearch } from './fetch-programs.ts';
import type { Print } from './long-steps.ts';
import type { Machine } from './machine.ts';
import { officialRelease, type Release } from './release-binaries.ts';

const withoutControllers = 'deleted namespaces will stay Terminating, and the roles view, edit and admin will be empty';

/** All four programs, in one build. Throws `LocalError`; its message lists the sources and why each of them failed. */
export async function findBinaries(machine: Machine, print: Print, release?: Release): Promise<BinariesWithKubectl> {
  const found = await findPrograms(machine, print, programNames, release);
  return { ...binariesOf(found), kubectl: found.kubectl ?? '' };
}

/** etcd and kube-apiserver, and the others if they are already there. Throws as `findBinaries` does. */
export async function findServers(machine: Machine, print: Print, release?: Release): Promise<Binaries> {
  return binariesOf(await findPrograms(machine, print, ['etcd', 'kube-apiserver'], release));
}

async function findPrograms(
  machine: Machine,
  print: Print,
  wanted: readonly ProgramName[],
  release: Release = officialRelease,
): Promise<Programs> {
  const directory = cacheDirectory(machine);
  const search = { machine, print, release, wanted, directory };
  const assets = await fromAssets(search);
  if (!('whyNot' in assets)) return assets;
  const cached = await readPrograms(directory);
  if (missingOf(cached, wanted).length === 0) return cached;
  const failures = await fetchPrograms(search);
  const programs = await readPrograms(directory);
  const missing = missingOf(programs, wanted);
  if (missing.some((name) => name !== controllerManagerName)) {
    const cache = Object.keys(cached).length === 0 ? 'not found' : `it lacks ${missing.join(', ')}`;
    throw new LocalError(
      [
        `A local control plane needs ${renderNames(wanted)}. Options:`,
        `  1. set KUBEBUILDER_ASSETS to a folder that holds them (now: ${assets.whyNot})`,
        `  2. put them into ${directory}/ (now: ${cache})`,
        `  3. allow the download from the official releases (now: ${failures.download ?? 'incomplete'})`,
        `  4. install Go (https://go.dev/dl) to build them (now: ${failures.build ?? ''})`,
      ].join('\n'),
    );
  }
  if (missing.length > 0) print(`There is no ${controllerManagerName}: ${withoutControllers}`);
  return programs;
}

/** The usual envtest archives lack kube-controller-manager. */
async function fromAssets({ machine, print, wanted }: ProgramSearch): Promise<Programs | { readonly whyNot: string }> {
  const assets = machine.environment['KUBEBUILDER_ASSETS'];
  if (!assets) return { whyNot: 'KUBEBUILDER_ASSETS is not set' };
  const programs = await readPrograms(assets);
  const missing = missingOf(programs, wanted);
  const needs = missing.filter((name) => name !== controllerManagerName);
  if (needs.length > 0) return { whyNot: `KUBEBUILDER_ASSETS (${assets}) lacks ${needs.join(', ')}` };
  if (missing.length > 0) print(`KUBEBUILDER_ASSETS has no ${controllerManagerName}: ${withoutControllers}`);
  return programs;
}

/** `findPrograms` throws without etcd and kube-apiserver. */
function binariesOf(programs: Programs): Binaries {
  const { etcd = '', 'kube-apiserver': kubeApiServer = '', kubectl } = programs;
  return { etcd, kubeApiServer, kubeControllerManager: programs[controllerManagerName], kubectl };
}
