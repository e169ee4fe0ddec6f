// `rolealerts local up`, `down` and `status`: a control plane that outlives the command that started it, through a record in the state folder.
// `down` signals a process only after checking that it is the recorded one, and deletes the data.
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { LocalError } from '../lib/command-errors.ts';
import { indentedJson, isString, isWholeNumber, objectOf, parseJson } from '../lib/json-shape.ts';
import { shellQuote } from '../lib/terminal-text.ts';
import { writePrivateFile } from './control-plane-programs.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { findBinaries } from './find-binaries.ts';
import { poll, renderTaken } from './long-steps.ts';
import type { Machine } from './machine.ts';
import { runCommand, sendSignal } from './run-command.ts';
import { dataDirectory, type LocalContext, prepareStateDirectory, withStateLock } from './state-directory.ts';

export type ControlPlaneStatus =
  | { readonly state: 'running'; readonly record: ControlPlaneRecord }
  /** Some of its processes have exited. `up` starts a new one, `down` removes the rest. */
  | { readonly state: 'broken'; readonly record: ControlPlaneRecord; readonly gone: readonly string[] }
  /** `logDirectory`: the logs of a control plane that was not stopped by `down`: a crash, a reboot. */
  | { readonly state: 'stopped'; readonly logDirectory?: string };

type Place = Pick<LocalContext, 'stateDirectory' | 'commandFor'>;

/** Starts a control plane and detaches from it. Does nothing when one is already running. */
export async function upControlPlane(context: LocalContext): Promise<ControlPlaneRecord> {
  const { machine, progress } = context;
  await prepareStateDirectory(context);
  return withStateLock(context, async () => {
    const status = await controlPlaneStatus(context);
    if (status.state === 'running') {
      printAccess(context, 'The control plane is already running', status.record);
      return status.record;
    }
    await cleanUp(context, status);
    const binaries = await findBinaries(machine, progress);
    const startMs = machine.clock.monotonic();
    const controlPlane = await startControlPlane({
      machine,
      binaries,
      dataDirectory: dataDirectory(context),
      kubeconfigPath: join(resolve(context.stateDirectory), 'kubeconfig'),
    });
    const record = await persistAndDetach(context, controlPlane, binaries.kubectl);
    const taken = renderTaken(machine.clock.monotonic() - startMs);
    printAccess(context, `The control plane is ready after ${taken}`, record);
    return record;
  });
}

/** Stops the control plane and deletes its data. Resolves with false when none was running. */
export async function downControlPlane(context: LocalContext): Promise<boolean> {
  const end = async () => {
    const status = await controlPlaneStatus(context);
    await cleanUp(context, status);
    return status.state !== 'stopped';
  };
  // Do not create the folder just to find no control plane in it.
  const wasRunning = existsSync(context.stateDirectory) && (await withStateLock(context, end));
  const lines = wasRunning ? ['The control plane has stopped'] : renderNone(context);
  for (const line of lines) context.print(line);
  return wasRunning;
}

/** Checks the recorded processes only, without a request to the API server. */
export async function controlPlaneStatus(
  context: Pick<LocalContext, 'machine' | 'stateDirectory'>,
): Promise<ControlPlaneStatus> {
  const record = await readRecord(context.stateDirectory);
  if (!record) return { state: 'stopped' };
  const running = await Promise.all(record.processes.map((seen) => isStillRunning(context.machine, seen)));
  const gone = record.processes.filter((_, index) => !running[index]).map((seen) => seen.name);
  if (gone.length === 0) return { state: 'running', record };
  if (gone.length < record.processes.length) return { state: 'broken', record, gone };
  return { state: 'stopped', logDirectory: dataDirectory(context) };
}

function printAccess(context: LocalContext, headline: string, record: ControlPlaneRecord): void {
  for (const line of [headline, ...renderAccess(record, context)]) context.print(line);
}

/** Writes the record before detaching: if the command dies in between, the recorded processes end with it. */
async function persistAndDetach(
  context: LocalContext,
  controlPlane: ControlPlane,
  kubectlPath: string,
): Promise<ControlPlaneRecord> {
  try {
    const record = {
      url: controlPlane.url,
      kubeconfigPath: controlPlane.kubeconfigPath,
      kubectlPath,
      processes: await Promise.all(controlPlane.processes.map((process) => identifyStarted(context.machine, process))),
    };
    await writeRecord(context.stateDirectory, record);
    await controlPlane.detach();
    return record;
  } catch (error) {
    await controlPlane.stop();
    throw error;
  }
}

async function identifyStarted(machine: Machine, { name, pid }: { name: string; pid: number }): Promise<SeenProcess> {
  const identity = await identifyProcess(machine, pid);
  if (identity === undefined) throw new LocalError(`${name} exited right after its start`);
  return { name, pid, identity };
}

/** Stops the remaining processes and deletes the files of a control plane. */
async function cleanUp(context: LocalContext, status: ControlPlaneStatus): Promise<void> {
  if (status.state !== 'stopped') {
    // On SIGTERM the supervisor, which comes first, kills the others. The loop matters only when the supervisor is gone.
    const [supervisor, ...others] = status.record.processes;
    if (supervisor) await endProcess(context.machine, supervisor, 'SIGTERM');
    for (const seen of others) await endProcess(context.machine, seen, 'SIGKILL');
  }
  await rm(dataDirectory(context), { recursive: true, force: true, maxRetries: 5 });
  await rm(join(context.stateDirectory, 'kubeconfig'), { force: true });
  await rm(recordPath(context.stateDirectory), { force: true });
}

export interface ControlPlaneRecord {
  readonly url: string;
  readonly kubeconfigPath: string;
  readonly kubectlPath: string;
  /** The supervisor comes first. */
  readonly processes: readonly SeenProcess[];
}

/** Undefined when the record does not exist or is invalid. */
export async function readRecord(stateDirectory: string): Promise<ControlPlaneRecord | undefined> {
  return decodeRecord(await readFile(recordPath(stateDirectory), 'utf8').catch(() => ''));
}

export async function writeRecord(stateDirectory: string, record: ControlPlaneRecord): Promise<void> {
  await writePrivateFile(recordPath(stateDirectory), indentedJson(record));
}

/** Trusts nothing: the machine may have been rebooted since, and the file may have any content. */
export function decodeRecord(text: string): ControlPlaneRecord | undefined {
  const { url, kubeconfigPath, kubectlPath, processes } = objectOf(parseJson(text));
  if (!isString(url) || !isString(kubeconfigPath) || !isString(kubectlPath)) return undefined;
  if (!Array.isArray(processes) || processes.length === 0 || !processes.every(isSeenProcess)) return undefined;
  return { url, kubeconfigPath, kubectlPath, processes };
}

/** Rejects ids of 1 and below: for `kill`, 0 and negative ids address process groups or all processes, and 1 is init. */
function isSeenProcess(value: unknown): value is SeenProcess {
  const { name, pid, identity } = objectOf(value);
  return isString(name) && isString(identity) && isWholeNumber(pid, 2);
}

function recordPath(stateDirectory: string): string {
  return join(stateDirectory, 'control-plane.json');
}

/** The output of `rolealerts local status`. */
export function renderStatus(status: ControlPlaneStatus, place: Place): readonly string[] {
  if (status.state === 'running') return ['The control plane is running', ...renderAccess(status.record, place)];
  if (status.state === 'broken') {
    const gone = status.gone.join(', ');
    return [`The control plane is broken: ${gone} exited`, `  start a new one: ${place.commandFor('up')}`];
  }
  const { logDirectory } = status;
  const logs = logDirectory === undefined ? [] : [`  the last one exited unexpectedly; its logs: ${logDirectory}`];
  return [...renderNone(place), ...logs];
}

/** Names the folder, because another one may have a control plane. */
function renderNone({ stateDirectory }: Place): readonly string[] {
  return ['No control plane is running here', `  state folder: ${stateDirectory}`];
}

/** The lines that say how to use a running control plane. */
function renderAccess({ url, kubeconfigPath, kubectlPath }: ControlPlaneRecord, place: Place): readonly string[] {
  return [
    `  url:        ${url}`,
    `  kubeconfig: ${kubeconfigPath}`,
    `  try:        ${shellQuote(kubectlPath)} --kubeconfig ${shellQuote(kubeconfigPath)} get namespaces`,
    `  stop it:    ${place.commandFor('down')}`,
  ];
}

const endWithinMs = 3000;

/** A recorded process: the system reuses ids, also after a reboot. */
export interface SeenProcess {
  readonly name: string;
  readonly pid: number;
  /** From `identifyProcess`. */
  readonly identity: string;
}

/** A text with the start time of the process, which differs for a later process with the same id; undefined without a process. */
export function identifyProcess(machine: Machine, pid: number): Promise<string | undefined> {
  return machine.platform === 'linux' ? identifyOnLinux(pid) : identifyWithPs(machine, pid);
}

/** True while the recorded process runs. A zombie does not count. */
export async function isStillRunning(machine: Machine, seen: SeenProcess): Promise<boolean> {
  return (await identifyProcess(machine, seen.pid)) === seen.identity;
}

async function identifyOnLinux(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  if (stat === undefined) return undefined;
  // The command name is in parentheses and may itself contain parentheses and spaces; the state and 19 numbers follow it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return `${boot.trim()}/${fields[19] ?? ''}`;
}

async function identifyWithPs(machine: Machine, pid: number): Promise<string | undefined> {
  const environment = { ...machine.environment, LC_ALL: 'C', TZ: 'UTC' };
  const args = ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)];
  const { stdout } = await runCommand('ps', args, { environment, deadlineMs: 5000 });
  const [state = '', ...started] = stdout.trim().split(/\s+/);
  return started.length === 0 || state.startsWith('Z') ? undefined : started.join(' ');
}

/** Does nothing when it is no longer running. Sends SIGKILL after three seconds; throws `LocalError` when that fails too. */
export async function endProcess(machine: Machine, seen: SeenProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (!(await isStillRunning(machine, seen))) return;
  sendSignal(seen.pid, signal);
  const options = { clock: machine.clock, withinMs: endWithinMs, everyMs: 20 };
  const gone = await poll(options, async () => ((await isStillRunning(machine, seen)) ? undefined : true));
  if (gone) return;
  if (signal === 'SIGKILL') throw new LocalError(`${seen.name} (process ${seen.pid}) does not exit after SIGKILL`);
  await endProcess(machine, seen, 'SIGKILL');
}
