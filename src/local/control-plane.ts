// A control plane on this machine: etcd, kube-apiserver and, if available, kube-controller-manager. It ends with the process
// that started it, even if that is killed, unless it is detached. Its data is deleted at the end.
import { generateKeyPairSync } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { cleanText } from '../lib/clean-text.ts';
import { LocalError } from '../lib/command-errors.ts';
import type { SecretText } from '../lib/secret-text.ts';
import type { Binaries } from './binaries.ts';
import {
  apiServerProgram,
  controllerManagerProgram,
  etcdProgram,
  controlPlaneFiles,
  type ControlPlaneProgramOptions,
} from './control-plane-programs.ts';
import { findFreePorts } from './free-ports.ts';
import { renderKubeconfig, writePrivateFile } from './kubeconfig.ts';
import type { Machine } from './machine.ts';
import { poll } from './poll.ts';
import { runCommand } from './run-command.ts';
import { startSupervision, type Supervision } from './supervision.ts';
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
}

export interface ControlPlane {
  readonly url: string;
  readonly kubeconfigPath: string;
  readonly kubectlPath: string;
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
  /** Starts the API server again; resolves when it is ready. */
  startApiServer(): Promise<void>;
  /** Kills etcd and starts it again with its data; resolves when the API server is ready again. */
  restartEtcd(): Promise<void>;
  /** Lets the control plane outlive this process. Afterwards only signals to its processes stop it. */
  detach(): Promise<void>;
  /** Stops every process and deletes the data. Idempotent. */
  stop(): Promise<void>;
}

const attempts = 3;
const portTaken = 'PortTaken';
const logTailLines = 12;

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
  };
  const starting: Starting = {
    machine,
    facts,
    adminToken,
    url: `https://127.0.0.1:${apiServer}`,
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

/** The state shared by the steps of one start. */
interface Starting {
  readonly machine: Machine;
  readonly facts: ControlPlaneProgramOptions;
  readonly adminToken: SecretText;
  readonly url: string;
  readonly supervision: Supervision;
  readonly readyWithinMs: number;
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
  await waitUntilReady(starting, apiServer, ['get', '--raw=/readyz']);
  const controllerManager = controllerManagerProgram(facts);
  if (controllerManager) await start(controllerManager);
  await waitUntilReady(starting, controllerManager ?? apiServer, ['get', 'namespace', 'default']);
  return {
    url,
    adminToken,
    certificateAuthority,
    kubeconfigPath: facts.kubeconfigPath,
    kubectlPath: facts.binaries.kubectl,
    dataDirectory: facts.dataDirectory,
    deletesNamespaces: controllerManager !== undefined,
    processes,
    async stopApiServer() {
      // Stop it too: its watches would resume up to a minute late after an API server outage of a minute.
      if (controllerManager) await supervision.stop(controllerManager.name, 0);
      await supervision.stop(apiServer.name, 0);
    },
    async startApiServer() {
      await supervision.start(apiServer);
      await waitUntilReady(starting, apiServer, ['get', '--raw=/readyz']);
      if (controllerManager) await supervision.start(controllerManager);
    },
    async restartEtcd() {
      await supervision.stop(etcd.name, 0);
      await supervision.start(etcd);
      await waitUntilReady(starting, apiServer, ['get', '--raw=/readyz']);
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

async function makeDataDirectory(configured: string | undefined): Promise<string> {
  if (configured === undefined) return mkdtemp(join(tmpdir(), 'rolealerts-control-plane-'));
  await mkdir(configured, { recursive: true, mode: 0o700 });
  await chmod(configured, 0o700);
  return resolve(configured);
}

async function writeCredentials(dataDirectory: string, adminToken: SecretText): Promise<void> {
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const write = (name: string, text: string) => writePrivateFile(join(dataDirectory, name), text);
  await write(controlPlaneFiles.serviceAccountKey, keys.privateKey);
  await write(controlPlaneFiles.serviceAccountPublicKey, keys.publicKey);
  await write(
    controlPlaneFiles.tokens,
    `${adminToken.reveal()},rolealerts-local-admin,rolealerts-local-admin,system:masters\n`,
  );
}

/** Waits for the file into which the API server writes its certificate and its CA before it listens. */
function waitForCertificate(starting: Starting, program: Program): Promise<string> {
  const path = join(starting.facts.dataDirectory, controlPlaneFiles.servingCertificate);
  return waitFor(starting, program, async () => {
    const text = await readFile(path, 'utf8').catch(() => '');
    return text.split('-----END CERTIFICATE-----').length > 2 ? text : undefined;
  });
}

async function waitUntilReady(starting: Starting, program: Program, args: readonly string[]): Promise<void> {
  const { machine, facts } = starting;
  const kubectl = ['--kubeconfig', facts.kubeconfigPath, '--request-timeout=3s', ...args];
  const environment = { ...machine.environment, KUBECACHEDIR: join(facts.dataDirectory, 'kubectl-cache') };
  await waitFor(starting, program, async () => {
    const result = await runCommand(facts.binaries.kubectl, kubectl, { environment, deadlineMs: 10_000 });
    return result.exitCode === 0 ? true : undefined;
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

async function earlyEnd(starting: Starting, name: string, how: string): Promise<LocalError> {
  const log = await readFile(join(starting.facts.dataDirectory, `${name}.log`), 'utf8').catch(() => '');
  const lines = log
    .trimEnd()
    .split('\n')
    .slice(-logTailLines)
    .map((line) => `  ${cleanText(line, 400)}`);
  // etcd and kube-apiserver report this in their logs only.
  const isPortTaken = lines.some((line) => line.includes('address already in use'));
  return new LocalError(
    `${name} did not start: ${how}; the last lines of its log:\n${lines.join('\n')}`,
    isPortTaken ? { reason: portTaken } : {},
  );
}
