// A control plane on this machine: etcd, kube-apiserver and, if available, kube-controller-manager. It ends with the process
// that started it, even if that is killed, unless it is detached. Its data is deleted at the end.
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { LocalError } from '../lib/command-errors.ts';
import type { SecretText } from '../lib/secret-text.ts';
import type { Binaries } from './binaries.ts';
import { makeDataDirectory, writeCredentials } from './control-plane-files.ts';
import {
  apiServerProgram,
  controllerManagerProgram,
  etcdProgram,
  type ControlPlaneProgramOptions,
} from './control-plane-programs.ts';
import { portTaken, type Starting, waitForCertificate, waitUntilReady } from './control-plane-start.ts';
import { findFreePorts } from './free-ports.ts';
import { renderKubeconfig, writePrivateFile } from './kubeconfig.ts';
import type { Machine } from './machine.ts';
import { startSupervision } from './supervision.ts';
import type { Program } from './supervisor-messages.ts';

export interface ControlPlaneOptions {
  readonly machine: Machine;
  readonly binaries: Binaries;
  /** An empty or absent folder that this control plane owns and deletes. Default: a new one under the system's temporary folder. */
  readonly dataDirectory?: string;
  /** Default: in the data folder. `stop` deletes the file elsewhere too; an owner that is killed leaves it behind. */
  readonly kubeconfigPath?: string;
  /** Deadline of the start, in milliseconds. Default 90 s. */
  readonly readyWithinMs?: number;
  /** For kubelets and their pods: an address of this machine. Absent: pods cannot run, and everything listens on loopback. */
  readonly nodeAddress?: string;
}

export interface ControlPlane {
  readonly url: string;
  readonly kubeconfigPath: string;
  /** A member of `system:masters`. */
  readonly adminToken: SecretText;
  /** The CA that verifies `url`, in PEM. */
  readonly certificateAuthority: string;
  readonly dataDirectory: string;
  /** False without kube-controller-manager: a deleted namespace then stays Terminating for ever. */
  readonly deletesNamespaces: boolean;
  /** The supervisor comes first. */
  readonly processes: readonly { readonly name: string; readonly pid: number }[];
  /** Stops the API server at once; keeps its port and all data. */
  stopApiServer(): Promise<void>;
  /** Starts the API server again, with `more` arguments this time; resolves when it is ready. */
  startApiServer(more?: readonly string[]): Promise<void>;
  /** Kills etcd and starts it again with its data; resolves when the API server is ready again. */
  restartEtcd(): Promise<void>;
  /** Lets the control plane outlive this process. Afterwards only signals to its processes stop it. */
  detach(): Promise<void>;
  /** Stops every process and deletes the data. Idempotent. */
  stop(): Promise<void>;
}

const attempts = 3;

/** Throws `LocalError` with the last lines of the log when a program exits early or is not ready in time. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(options);
    } catch (error) {
      // Another process may have taken a free port before our program listened on it.
      if (!(error instanceof LocalError && error.reason === portTaken) || attempt === attempts) throw error;
    }
  }
}

async function startOnce(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { machine } = options;
  const dataDirectory = await makeDataDirectory(options.dataDirectory);
  const adminToken = machine.secrets();
  await writeCredentials(dataDirectory, adminToken);
  const [apiServer = 0, etcd = 0, etcdPeer = 0] = await findFreePorts(3);
  const facts: ControlPlaneProgramOptions = {
    binaries: options.binaries,
    dataDirectory,
    kubeconfigPath: resolve(options.kubeconfigPath ?? join(dataDirectory, 'kubeconfig')),
    ports: { apiServer, etcd, etcdPeer },
    ...(options.nodeAddress !== undefined && { nodeAddress: options.nodeAddress }),
  };
  const starting: Starting = {
    machine,
    facts,
    adminToken,
    url: `https://${options.nodeAddress ?? '127.0.0.1'}:${apiServer}`,
    supervision: startSupervision(machine, dataDirectory),
    readyWithinMs: options.readyWithinMs ?? 90_000,
  };
  try {
    return await startPrograms(starting);
  } catch (error) {
    await starting.supervision.end();
    throw error;
  }
}

async function startPrograms(starting: Starting): Promise<ControlPlane> {
  const { facts, supervision, url, adminToken } = starting;
  const processes = [{ name: 'supervisor', pid: supervision.pid }];
  const start = async (program: Program) => {
    processes.push({ name: program.name, pid: await supervision.start(program) });
  };
  const etcd = etcdProgram(facts);
  await start(etcd);
  const apiServer = apiServerProgram(facts);
  await start(apiServer);
  const certificateAuthority = await waitForCertificate(starting, apiServer);
  await writePrivateFile(facts.kubeconfigPath, renderKubeconfig({ url, certificateAuthority, token: adminToken }));
  const waitFor = (program: Program, path: string) => waitUntilReady(starting, program, certificateAuthority, path);
  await waitFor(apiServer, '/readyz');
  const controllerManager = controllerManagerProgram(facts);
  if (controllerManager) await start(controllerManager);
  await waitFor(controllerManager ?? apiServer, '/api/v1/namespaces/default');
  return {
    url,
    adminToken,
    certificateAuthority,
    kubeconfigPath: facts.kubeconfigPath,
    dataDirectory: facts.dataDirectory,
    deletesNamespaces: controllerManager !== undefined,
    processes,
    async stopApiServer() {
      // Stop it too: its watches would resume up to a minute late after an API server outage of a minute.
      if (controllerManager) await supervision.stop(controllerManager.name, 0);
      await supervision.stop(apiServer.name, 0);
    },
    async startApiServer(more = []) {
      await supervision.start({ ...apiServer, args: [...apiServer.args, ...more] });
      await waitFor(apiServer, '/readyz');
      if (controllerManager) await supervision.start(controllerManager);
    },
    async restartEtcd() {
      await supervision.stop(etcd.name, 0);
      await supervision.start(etcd);
      await waitFor(apiServer, '/readyz');
    },
    detach: () => supervision.detach(),
    async stop() {
      await supervision.end();
      await rm(facts.kubeconfigPath, { force: true });
      // The supervisor deletes the data itself, unless it was killed.
      await rm(facts.dataDirectory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
