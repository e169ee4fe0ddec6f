// The set-up of every measurement: a control plane, and the CRDs of the side that is measured.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { startControlPlane, type ControlPlane } from '../../../src/local/control-plane.ts';
import { runCommand } from '../../../src/local/run-command.ts';
import { openKubeRequests, type KubeRequests } from '../../support/rigs/kube-requests.ts';
import { foundBinaries } from '../../support/servers/found-binaries.ts';
import { openSides, type Side, type Sides } from './sides.ts';

export interface Setup {
  readonly controlPlane: ControlPlane;
  readonly requests: KubeRequests;
  readonly directory: string;
  /** This checkout is the first. */
  readonly sides: Sides['all'];
  /** The API server's process. */
  readonly apiServerPid: number;
  /** Prints what is measured next, because a section prints its results at its end. */
  announce(line: string): void;
  /** Replaces the CRDs by those of a side. */
  applyCrds(side: Side): Promise<void>;
  stop(): Promise<void>;
}

/** The API server reads a new CRD soon after it has stored it; nothing says when. */
const crdDelayMs = 1500;

/** `against`: as for `openSides`. */
export async function openSetup(against: readonly string[]): Promise<Setup> {
  const { machine, progress, binaries } = await foundBinaries();
  const controlPlane = await startControlPlane({ machine, binaries });
  try {
    const directory = join(controlPlane.dataDirectory, 'bench');
    await mkdir(directory);
    const sides = await openSides(directory, against);
    const requests = openKubeRequests(controlPlane);
    return {
      controlPlane,
      requests,
      directory,
      sides: sides.all,
      apiServerPid: pidOf(controlPlane, 'kube-apiserver'),
      announce: (line) => progress(line),
      applyCrds: ({ crds }) => applyCrds(controlPlane, binaries.kubectl, crds),
      async stop() {
        await requests.stop();
        await sides.stop();
        await controlPlane.stop();
      },
    };
  } catch (error) {
    await controlPlane.stop();
    throw error;
  }
}

function pidOf({ processes }: ControlPlane, name: string): number {
  const found = processes.find((each) => each.name === name);
  if (!found) throw new Error(`the control plane has no process ${name}`);
  return found.pid;
}

async function applyCrds(controlPlane: ControlPlane, kubectlPath: string, folder: string): Promise<void> {
  const { kubeconfigPath, dataDirectory } = controlPlane;
  const environment = { ...process.env, KUBECACHEDIR: join(dataDirectory, 'kubectl-cache') };
  const kubectl = async (...args: string[]) => {
    const all = ['--kubeconfig', kubeconfigPath, ...args];
    const result = await runCommand(kubectlPath, all, { environment, deadlineMs: 60_000 });
    if (result.exitCode !== 0) throw new Error(result.stderr);
  };
  await kubectl('apply', '--server-side', '--force-conflicts', '--kustomize', folder);
  await kubectl('wait', '--for=condition=Established', '--timeout=30s', 'crd', '--all');
  await delay(crdDelayMs);
}
