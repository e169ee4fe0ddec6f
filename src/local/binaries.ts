// The programs of a control plane and their folder. find-binaries.ts finds them; fetch-programs.ts downloads or builds them.
import { access, constants, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { platformName, type Machine } from './machine.ts';

/** The Kubernetes version to build, also part of the cache folder's name. Same version as in src/local/control-plane/go.mod. */
export const kubernetesVersion = 'v1.36.3';

export const controllerManagerName = 'kube-controller-manager';
export const programNames = ['etcd', 'kube-apiserver', 'kubectl', controllerManagerName] as const;
export type ProgramName = (typeof programNames)[number];

/** Paths of the programs that a folder holds. */
export type Programs = Readonly<Partial<Record<ProgramName, string>>>;

/** What a control plane runs. */
export interface Binaries {
  readonly etcd: string;
  readonly kubeApiServer: string;
  /** If undefined, deleted namespaces stay, owner references have no effect, and the roles view, edit and admin are empty. */
  readonly kubeControllerManager: string | undefined;
  /** For a person's commands; a control plane does not need it. */
  readonly kubectl?: string | undefined;
}

export interface BinariesWithKubectl extends Binaries {
  readonly kubectl: string;
}

export async function readPrograms(directory: string): Promise<Programs> {
  const paths = programNames.map((name) => join(directory, name));
  const present = await Promise.all(paths.map(isExecutable));
  return Object.fromEntries(programNames.flatMap((name, index) => (present[index] ? [[name, paths[index]]] : [])));
}

export function missingOf(programs: Programs, wanted: readonly ProgramName[]): readonly ProgramName[] {
  return wanted.filter((name) => programs[name] === undefined);
}

/** `etcd, kubectl and kube-apiserver`. */
export function renderNames(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** `$XDG_CACHE_HOME/rolealerts/control-plane/v1.36.3-linux-amd64`, or under `~/.cache`. */
export function cacheDirectory(machine: Machine): string {
  const configured = machine.environment['XDG_CACHE_HOME'];
  const root = configured ? configured : join(machine.homeDirectory, '.cache');
  return join(root, 'rolealerts', 'control-plane', `${kubernetesVersion}-${platformName(machine)}`);
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
