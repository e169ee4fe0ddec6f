// `rolealerts local up`, `down` and `status`: a control plane that outlives the command that started it. `down` signals a
// process only after checking that it is the recorded one, and deletes the data.
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { OperatorError } from '../lib/errors.ts';
import { startControlPlane, type ControlPlane } from './control-plane.ts';
import { withFileLock } from './file-lock.ts';
import { findBinaries } from './find-binaries.ts';
import type { Machine } from './machine.ts';
import { dropRecord, readRecord, writeRecord, type PlaneRecord } from './plane-record.ts';
import { poll } from './poll.ts';
import { identifyProcess, isStillRunning, type SeenProcess } from './process-identity.ts';
import { renderTaken, type Progress } from './progress.ts';

/** The place of a local control plane; each state folder has at most one. */
export interface LocalPlace {
  readonly machine: Machine;
  /** Default: `.rolealerts` in the current folder. */
  readonly stateDirectory: string;
  readonly progress: Progress;
}

export type ControlPlaneStatus =
  | { readonly state: 'running'; readonly record: PlaneRecord }
  /** Some of its processes have exited. `up` starts a new one, `down` removes the rest. */
  | { readonly state: 'broken'; readonly record: PlaneRecord; readonly gone: readonly string[] }
  | {
      readonly state: 'stopped';
      /** The logs of a control plane that was not stopped by `down`: a crash, a reboot. Absent otherwise. */
      readonly logDirectory?: string;
    };

const endWithinMs = 3000;
const lockWithinMs = 120 * 60_000;

/** Starts a control plane and detaches from it. Does nothing when one is already running. */
export async function upControlPlane(place: LocalPlace): Promise<PlaneRecord> {
  const { machine, progress } = place;
  await prepareStateDirectory(place);
  return withStateLock(place, async () => {
    const status = await controlPlaneStatus(place);
    if (status.state === 'running') {
      printAccess(place, 'The control plane is already running', status.record);
      return status.record;
    }
    await clearAway(place, status);
    const binaries = await findBinaries(machine, progress);
    const startMs = machine.clock.monotonic();
    const plane = await startControlPlane({
      machine,
      binaries,
      dataDirectory: dataDirectory(place),
      kubeconfigPath: join(resolve(place.stateDirectory), 'kubeconfig'),
    });
    const record = await leaveRunning(place, plane);
    const taken = renderTaken(machine.clock.monotonic() - startMs);
    printAccess(place, `The control plane is ready after ${taken}`, record);
    return record;
  });
}

/** Stops the control plane and deletes its data. Resolves with false when none was running. */
export async function downControlPlane(place: LocalPlace): Promise<boolean> {
  const end = async () => {
    const status = await controlPlaneStatus(place);
    await clearAway(place, status);
    return status.state !== 'stopped';
  };
  // Do not create the folder just to find no control plane in it.
  const wasRunning = existsSync(place.stateDirectory) && (await withStateLock(place, end));
  place.progress.print(wasRunning ? 'The control plane has stopped' : 'No control plane is running here');
  return wasRunning;
}

/** Checks the recorded processes only, without a request to the API server. */
export async function controlPlaneStatus(
  place: Pick<LocalPlace, 'machine' | 'stateDirectory'>,
): Promise<ControlPlaneStatus> {
  const record = await readRecord(place.stateDirectory);
  if (!record) return { state: 'stopped' };
  const running = await Promise.all(record.processes.map((seen) => isStillRunning(place.machine, seen)));
  const gone = record.processes.filter((_, index) => !running[index]).map((seen) => seen.name);
  if (gone.length === 0) return { state: 'running', record };
  if (gone.length < record.processes.length) return { state: 'broken', record, gone };
  return { state: 'stopped', logDirectory: dataDirectory(place) };
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

function renderAccess(record: PlaneRecord): readonly string[] {
  return [
    `  url:        ${record.url}`,
    `  kubeconfig: ${record.kubeconfigPath}`,
    `  try:        ${record.kubectlPath} --kubeconfig ${record.kubeconfigPath} get namespaces`,
    '  stop it:    npm run -s rolealerts -- local down',
  ];
}

function printAccess(place: LocalPlace, headline: string, record: PlaneRecord): void {
  for (const line of [headline, ...renderAccess(record)]) place.progress.print(line);
}

/** Writes the record before detaching: if the command dies in between, the recorded processes end with it. */
async function leaveRunning(place: LocalPlace, plane: ControlPlane): Promise<PlaneRecord> {
  try {
    const record = {
      url: plane.url,
      kubeconfigPath: plane.kubeconfigPath,
      kubectlPath: plane.kubectlPath,
      processes: await Promise.all(plane.processes.map((process) => seeProcess(place.machine, process))),
    };
    await writeRecord(place.stateDirectory, record);
    await plane.detach();
    return record;
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

async function seeProcess(machine: Machine, { name, pid }: { name: string; pid: number }): Promise<SeenProcess> {
  const identity = await identifyProcess(machine, pid);
  if (identity === undefined) throw new OperatorError('local', `${name} exited right after its start`);
  return { name, pid, identity };
}

/** Stops the remaining processes and deletes the files of a control plane. */
async function clearAway(place: LocalPlace, status: ControlPlaneStatus): Promise<void> {
  if (status.state !== 'stopped') {
    // On SIGTERM the supervisor, which comes first, kills the others. The loop matters only when the supervisor is gone.
    const [supervisor, ...others] = status.record.processes;
    if (supervisor) await endProcess(place.machine, supervisor, 'SIGTERM');
    for (const seen of others) await endProcess(place.machine, seen, 'SIGKILL');
  }
  await rm(dataDirectory(place), { recursive: true, force: true, maxRetries: 5 });
  await rm(join(place.stateDirectory, 'kubeconfig'), { force: true });
  await dropRecord(place.stateDirectory);
}

async function endProcess(machine: Machine, seen: SeenProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (!(await isStillRunning(machine, seen))) return;
  kill(seen.pid, signal);
  const options = { clock: machine.clock, withinMs: endWithinMs, everyMs: 20 };
  const gone = await poll(options, async () => ((await isStillRunning(machine, seen)) ? undefined : true));
  if (gone) return;
  if (signal === 'SIGKILL')
    throw new OperatorError('local', `${seen.name} (process ${seen.pid}) does not exit after SIGKILL`);
  await endProcess(machine, seen, 'SIGKILL');
}

function kill(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process exited between the check and the signal.
  }
}

async function prepareStateDirectory(place: LocalPlace): Promise<void> {
  await mkdir(place.stateDirectory, { recursive: true, mode: 0o700 });
  // The folder contains a credential and may be inside a git repository.
  await writeFile(join(place.stateDirectory, '.gitignore'), '*\n');
}

function withStateLock<Result>(place: LocalPlace, work: () => Promise<Result>): Promise<Result> {
  const onWaiting = () => place.progress.print('Another command is already running here; waiting for it');
  const options = { clock: place.machine.clock, withinMs: lockWithinMs, onWaiting };
  return withFileLock(join(place.stateDirectory, 'lock'), options, work);
}

function dataDirectory(place: Pick<LocalPlace, 'stateDirectory'>): string {
  return join(resolve(place.stateDirectory), 'control-plane');
}
