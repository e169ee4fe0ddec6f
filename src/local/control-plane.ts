// A control plane on this machine: etcd, kube-apiserver and, if available, kube-controller-manager. It ends with the process
// that started it, even if that is killed, unless it is detached. Its data is deleted at the end.
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { get } from 'node:https';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { cleanText } from '../lib/clean-text.ts';
import { LocalError } from '../lib/command-errors.ts';
import { makeDirectory } from '../lib/make-directory.ts';
import type { SecretText } from '../lib/secret-text.ts';
import type { Binaries } from './binaries.ts';
import {
  apiServerProgram,
  controllerManagerProgram,
  controlPlaneFiles,
  etcdProgram,
  renderKubeconfig,
  writeCredentials,
  writePrivateFile,
  type ControlPlaneProgramOptions,
} from './control-plane-programs.ts';
import { poll } from './long-steps.ts';
import type { Machine } from './machine.ts';
import { startSupervision, type Supervision } from './supervision.ts';
import type { Program } from './supervisor.ts';

export interface ControlPlaneOptions {
  readonly machine: Machine;
  readonly binaries: Binaries;
  /** An empty or absent folder that this control plane owns and deletes. Default: a new one under the system's temporary folder. */
  readonly dataDirectory?: string;
  /** Default: in the data folder. `stop` deletes the file elsewhere too; an owner that is killed leaves it behind. */
  readonly kubeconfigPath?: string;
  /** Deadline of each step of the start, in milliseconds. Default 90 s. */
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

/** What one start knows. */
interface Starting extends ControlPlaneProgramOptions {
  readonly machine: Machine;
  readonly adminToken: SecretText;
  readonly url: string;
  readonly supervision: Supervision;
  readonly readyWithinMs: number;
}

const attempts = 3;
const portTaken = 'PortTaken';
const probeWithinMs = 3000;

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

async function startOnce({ readyWithinMs = 90_000, ...options }: ControlPlaneOptions): Promise<ControlPlane> {
  const { machine, nodeAddress = '127.0.0.1' } = options;
  const dataDirectory = await makeDataDirectory(options.dataDirectory);
  const adminToken = machine.secrets();
  await writeCredentials(dataDirectory, adminToken);
  const [apiServer = 0, etcd = 0, etcdPeer = 0] = await findFreePorts(3);
  const kubeconfigPath = resolve(options.kubeconfigPath ?? join(dataDirectory, 'kubeconfig'));
  const supervision = startSupervision(machine, dataDirectory);
  const facts = { ...options, dataDirectory, kubeconfigPath, ports: { apiServer, etcd, etcdPeer } };
  const url = `https://${nodeAddress}:${apiServer}`;
  try {
    return await startPrograms({ ...facts, adminToken, url, supervision, readyWithinMs });
  } catch (error) {
    await supervision.end();
    throw error;
  }
}

async function startPrograms(starting: Starting): Promise<ControlPlane> {
  const { supervision, url, adminToken, kubeconfigPath, dataDirectory } = starting;
  const processes = [{ name: 'supervisor', pid: supervision.pid }];
  const start = async (program: Program) => {
    processes.push({ name: program.name, pid: await supervision.start(program) });
  };
  const etcd = etcdProgram(starting);
  await start(etcd);
  const apiServer = apiServerProgram(starting);
  await start(apiServer);
  const certificateAuthority = await waitFor(starting, apiServer, () => readServingCertificate(dataDirectory));
  await writePrivateFile(kubeconfigPath, renderKubeconfig({ url, certificateAuthority, token: adminToken }));
  const untilServed = (program: Program, path: string) =>
    waitFor(starting, program, () => probe(`${url}${path}`, adminToken, certificateAuthority));
  await untilServed(apiServer, '/readyz');
  const controllerManager = controllerManagerProgram(starting);
  if (controllerManager) await start(controllerManager);
  await untilServed(controllerManager ?? apiServer, '/api/v1/namespaces/default');
  return {
    url,
    adminToken,
    certificateAuthority,
    kubeconfigPath,
    dataDirectory,
    processes,
    async stopApiServer() {
      // Stop it too: its watches would resume up to a minute late after an API server outage of a minute.
      if (controllerManager) await supervision.stop(controllerManager.name, 0);
      await supervision.stop(apiServer.name, 0);
    },
    async startApiServer(more = []) {
      await supervision.start({ ...apiServer, args: [...apiServer.args, ...more] });
      await untilServed(apiServer, '/readyz');
      if (controllerManager) await supervision.start(controllerManager);
    },
    async restartEtcd() {
      await supervision.stop(etcd.name, 0);
      await supervision.start(etcd);
      await untilServed(apiServer, '/readyz');
    },
    detach: () => supervision.detach(),
    async stop() {
      await supervision.end();
      await rm(kubeconfigPath, { force: true });
      // The supervisor deletes the data itself, unless it was killed.
      await rm(dataDirectory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Creates the folder, readable by its owner only. Resolves with its absolute path. */
async function makeDataDirectory(configured: string | undefined): Promise<string> {
  if (configured === undefined) return mkdtemp(join(tmpdir(), 'rolealerts-control-plane-'));
  await makeDirectory(configured, 0o700);
  await chmod(configured, 0o700);
  return resolve(configured);
}

/** Another process may take a port before its use; the caller then retries. */
async function findFreePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listenOnLoopback));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

function listenOnLoopback(): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server));
  });
}

/** The API server writes its certificate, followed by its CA, before it listens. */
async function readServingCertificate(dataDirectory: string): Promise<string | undefined> {
  const text = await readFile(join(dataDirectory, controlPlaneFiles.servingCertificate), 'utf8').catch(() => '');
  return text.split('-----END CERTIFICATE-----').length > 2 ? text : undefined;
}

/** True when the API server responds with 200; undefined otherwise. */
function probe(url: string, token: SecretText, ca: string): Promise<true | undefined> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token.reveal()}` };
    const signal = AbortSignal.timeout(probeWithinMs);
    // Without an agent there is a socket for each request: the server may be another process by the next one.
    const request = get(url, { ca, headers, agent: false, signal }, (response) => {
      response.on('error', () => undefined).resume();
      resolve(response.statusCode === 200 ? true : undefined);
    });
    request.on('error', () => resolve(undefined));
  });
}

/** Polls `ask` until it returns a value. Throws when `program` or etcd exits, or at the deadline. */
async function waitFor<Answer>(
  starting: Starting,
  program: Program,
  ask: () => Promise<Answer | undefined>,
): Promise<Answer> {
  const { machine, supervision, readyWithinMs } = starting;
  const answer = await poll({ clock: machine.clock, withinMs: readyWithinMs, everyMs: 100 }, async () => {
    const deadName = ['etcd', program.name].find((name) => supervision.endOf(name) !== undefined);
    if (deadName !== undefined) throw await earlyEnd(starting, deadName, supervision.endOf(deadName) ?? '');
    return ask();
  });
  if (answer !== undefined) return answer;
  throw await earlyEnd(starting, program.name, `not ready after ${Math.round(readyWithinMs / 1000)} s`);
}

async function earlyEnd({ dataDirectory }: Starting, name: string, how: string): Promise<LocalError> {
  const log = await readLogTail(join(dataDirectory, `${name}.log`), 12);
  // etcd and kube-apiserver report this in their logs only.
  const reason = log.includes('address already in use') ? { reason: portTaken } : {};
  return new LocalError(`${name} did not start: ${how}; the last lines of its log:\n${log}`, reason);
}

/** The last lines of a log, indented; empty without a log. */
export async function readLogTail(path: string, count: number): Promise<string> {
  const log = await readFile(path, 'utf8').catch(() => '');
  const lines = log.trimEnd().split('\n').slice(-count);
  return lines.map((line) => `  ${cleanText(line, 400)}`).join('\n');
}
