// The programs of a control plane and their folder. find-binaries.ts finds, downloads or builds them.
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';

import { platformName, type Machine } from './machine.ts';

/** The Kubernetes version to build, also part of the cache folder's name. Same version as in src/local/control-plane/go.mod. */
export const kubernetesVersion = 'v1.36.3';

export interface Binaries {
  readonly etcd: string;
  readonly kubeApiServer: string;
  readonly kubectl: string;
  /** If undefined, deleted namespaces stay, owner references have no effect, and the roles view, edit and admin are empty. */
  readonly kubeControllerManager: string | undefined;
  /** The place of the programs, for a message: `in the cache folder /…`. */
  readonly origin: string;
}

const requiredNames = ['etcd', 'kube-apiserver', 'kubectl'] as const;
export const controllerManagerName = 'kube-controller-manager';

/** The binaries of a folder, or the names of the required ones that are missing. */
export async function readBinaries(
  directory: string,
  origin: string,
): Promise<{ readonly value?: Binaries; readonly missing: readonly string[] }> {
  const names = [...requiredNames, controllerManagerName];
  const present = await Promise.all(names.map((name) => isExecutable(join(directory, name))));
  const missing = requiredNames.filter((_, index) => !present[index]);
  if (missing.length > 0) return { missing };
  return {
    missing,
    value: {
      etcd: join(directory, 'etcd'),
      kubeApiServer: join(directory, 'kube-apiserver'),
      kubectl: join(directory, 'kubectl'),
      kubeControllerManager: present.at(-1) ? join(directory, controllerManagerName) : undefined,
      origin,
    },
  };
}

/** `$XDG_CACHE_HOME/rolealerts/control-plane/v1.36.3-linux-amd64`, or under `~/.cache`. */
export function cacheDirectory(machine: Machine): string {
  const configured = machine.environment['XDG_CACHE_HOME'];
  const root = configured ? configured : join(machine.homeDirectory, '.cache');
  return join(root, 'rolealerts', 'control-plane', `${kubernetesVersion}-${platformName(machine)}`);
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
