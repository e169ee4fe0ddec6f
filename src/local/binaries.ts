// The programs of a control plane and the folder that holds them. Where they come from: find-binaries.ts.
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';

import { platformName, type Machine } from './machine.ts';

/** What is built, and what the cache folder is named after. Pinned with src/local/control-plane/go.mod. */
export const kubernetesVersion = 'v1.36.3';

export interface Binaries {
  readonly etcd: string;
  readonly kubeApiServer: string;
  readonly kubectl: string;
  /** Absent: namespaces are never deleted, owner references do nothing, the roles view, edit and admin stay empty. */
  readonly kubeControllerManager: string | undefined;
  /** Where they were found, as the end of a sentence: `in the cache folder /…`. */
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
