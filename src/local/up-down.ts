// `rolealerts local up`, `down` and `status`: a control plane that outlives the command that started it. `down` signals a
// process only after checking that it is the recorded one, and deletes the data.
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { LocalError } from '../lib/command-errors.ts';
import { dropRecord, readRecord, writeRecord, type ControlPlaneRecord } from './control-plane-record.ts';
import { startControlPlane, type ControlPlane } from './control-plane.ts';
import { withFileLock } from './file-lock.ts';
import { findBinaries } from './find-binaries.ts';
import type { Machine } from './machine.ts';
import { poll } from './poll.ts';
import { identifyProcess, isStillRunning, type SeenProcess } from './process-identity.ts';
import { renderTaken, type Progress } from './progress.ts';

/** The place of a local control plane; each state folder has at most one. */
export interface LocalContext {
  readonly machine: Machine;
  /** Default: `.rolealerts` in the current folder. */
  readonly stateDirectory: string;
  readonly progress: Progress;
}

export type ControlPlaneStatus =
  | { readonly state: 'running'; readonly record: ControlPlaneRecord }
  /** Some of its processes have exited. `up` starts a new one, `down` removes the rest. */
  | { readonly state: 'broken'; readonly record: ControlPlaneRecord; readonly gone: readonly string[] }
  | {
      readonly state: 'stopped';
      /** The logs of a control plane that was not stopped by `down`: a crash, a reboot. Absent otherwise. */
      readonly logDirectory?: string;
    };

const endWithinMs = 3000;
const lockWithinMs = 120 * 60_000;

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
    const record = await persistAndDetach(context, controlPlane);
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
  context.progress.print(wasRunning ? 'The control plane has stopped' : 'No control plane is running here');
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

/** The output of `rolealerts local status`. */
export function renderStatus(status: ControlPlaneStatus): readonly string[] {
  if (status.state === 'stopped') {
    const logs =
      status.logDirectory === undefined ? [] : [`  the last one exited unexpectedly; its logs: ${status.logDirectory}`];
    return ['No control plane is running here', ...logs];
  }
  if (status.state === 'running') return ['The control plane is running', ...renderAccess(status.record)];
  return [
    `The control plane is broken: ${status.gone.join(', ')} exited`,
    '  start a new one: npm run -s rolealerts -- local up',
  ];
}

function renderAccess(record: ControlPlaneRecord): readonly string[] {
  return [
    `  url:        ${record.url}`,
    `  kubeconfig: ${record.kubeconfigPath}`,
    `  try:        ${record.kubectlPath} --kubeconfig ${record.kubeconfigPath} get namespaces`,
    '  stop it:    npm run -s rolealerts -- local down',
  ];
}

function printAccess(context: LocalContext, headline: string, record: ControlPlaneRecord): void {
  for (const line of [headline, ...renderAccess(record)]) context.progress.print(line);
}

/** Writes the record before detaching: if the command dies in between, the recorded processes end with it. */
async function persistAndDetach(context: LocalContext, controlPlane: ControlPlane): Promise<ControlPlaneRecord> {
  try {
    const record = {
      url: controlPlane.url,
      kubeconfigPath: controlPlane.kubeconfigPath,
      kubectlPath: controlPlane.kubectlPath,
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
  await dropRecord(context.stateDirectory);
}

async function endProcess(machine: Machine, seen: SeenProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (!(await isStillRunning(machine, seen))) return;
  kill(seen.pid, signal);
  const options = { clock: machine.clock, withinMs: endWithinMs, everyMs: 20 };
  const gone = await poll(options, async () => ((await isStillRunning(machine, seen)) ? undefined : true));
  if (gone) return;
  if (signal === 'SIGKILL') throw new LocalError(`${seen.name} (process ${seen.pid}) does not exit after SIGKILL`);
  await endProcess(machine, seen, 'SIGKILL');
}

function kill(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process exited between the check and the signal.
  }
}

async function prepareStateDirectory(context: LocalContext): Promise<void> {
  await mkdir(context.stateDirectory, { recursive: true, mode: 0o700 });
  // The folder contains a credential and may be inside a git repository.
  await writeFile(join(context.stateDirectory, '.gitignore'), '*\n');
}

function withStateLock<Result>(context: LocalContext, work: () => Promise<Result>): Promise<Result> {
  const onWaiting = () => context.progress.print('Another command is already running here; waiting for it');
  const options = { clock: context.machine.clock, withinMs: lockWithinMs, onWaiting };
  return withFileLock(join(context.stateDirectory, 'lock'), options, work);
}

function dataDirectory(context: Pick<LocalContext, 'stateDirectory'>): string {
  return join(resolve(context.stateDirectory), 'control-plane');
}
