// `rolealerts local up`, `down` and `status`: a control plane that outlives the command that started it. Only processes
// that are proven to be the recorded ones are ever killed. Its data is deleted with it.
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

/** Where a control plane of this kind lives: one in each state folder. */
export interface LocalPlace {
  readonly machine: Machine;
  /** `.rolealerts` in the current folder, unless somebody says otherwise. */
  readonly stateDirectory: string;
  readonly progress: Progress;
}

export type ControlPlaneStatus =
  | { readonly state: 'running'; readonly record: PlaneRecord }
  /** Some of its processes are gone. `up` starts it afresh, `down` clears it away. */
  | { readonly state: 'broken'; readonly record: PlaneRecord; readonly gone: readonly string[] }
  | {
      readonly state: 'stopped';
      /** Where the logs of one are that nobody ended: a crash, a reboot. Absent when it was ended, or never there. */
      readonly logDirectory?: string;
    };

const endWithinMs = 3000;
const lockWithinMs = 120 * 60_000;

/** Starts a control plane and lets go of it. One that is running already is left as it is. */
export async function upControlPlane(place: LocalPlace): Promise<PlaneRecord> {
  const { machine, progress } = place;
  await prepareStateDirectory(place);
  return withStateLock(place, async () => {
    const status = await controlPlaneStatus(place);
    if (status.state === 'running') {
      printAccess(place, 'the control plane is running already', status.record);
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
    printAccess(place, `the control plane is ready after ${taken}`, record);
    return record;
  });
}

/** Ends it and deletes its data. False when there was none to end. */
export async function downControlPlane(place: LocalPlace): Promise<boolean> {
  const end = async () => {
    const status = await controlPlaneStatus(place);
    await clearAway(place, status);
    return status.state !== 'stopped';
  };
  // A folder that is not there is not made for saying so.
  const wasRunning = existsSync(place.stateDirectory) && (await withStateLock(place, end));
  place.progress.print(wasRunning ? 'the control plane has ended' : 'no control plane is running here');
  return wasRunning;
}

/** Looks at the recorded processes; asks the API server nothing. */
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

/** What `rolealerts local status` prints. */
export function renderStatus(status: ControlPlaneStatus): readonly string[] {
  if (status.state === 'stopped') {
    const logs =
      status.logDirectory === undefined ? [] : [`  the last one ended by itself; its logs: ${status.logDirectory}`];
    return ['no control plane is running here', ...logs];
  }
  if (status.state === 'running') return ['the control plane is running', ...renderAccess(status.record)];
  return [
    `the control plane is broken: ${status.gone.join(', ')} ended`,
    '  start it afresh: npm run -s rolealerts -- local up',
  ];
}

function renderAccess(record: PlaneRecord): readonly string[] {
  return [
    `  url:        ${record.url}`,
    `  kubeconfig: ${record.kubeconfigPath}`,
    `  try:        ${record.kubectlPath} --kubeconfig ${record.kubeconfigPath} get namespaces`,
    '  end it:     npm run -s rolealerts -- local down',
  ];
}

function printAccess(place: LocalPlace, headline: string, record: PlaneRecord): void {
  for (const line of [headline, ...renderAccess(record)]) place.progress.print(line);
}

/** The record is written first: a command that dies in between leaves a record of processes that end with it. */
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
  if (identity === undefined) throw new OperatorError('local', `${name} ended just after its start`);
  return { name, pid, identity };
}

/** Ends what still runs, and removes what is left of a control plane that ended in any other way. */
async function clearAway(place: LocalPlace, status: ControlPlaneStatus): Promise<void> {
  if (status.state !== 'stopped') {
    // SIGTERM makes the supervisor, which comes first, end the others; they are killed one by one only without it.
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
  if (signal === 'SIGKILL') throw new OperatorError('local', `${seen.name} (process ${seen.pid}) does not end`);
  await endProcess(machine, seen, 'SIGKILL');
}

function kill(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended between the look and the signal.
  }
}

async function prepareStateDirectory(place: LocalPlace): Promise<void> {
  await mkdir(place.stateDirectory, { recursive: true, mode: 0o700 });
  // The folder holds a credential, and may lie in any repository.
  await writeFile(join(place.stateDirectory, '.gitignore'), '*\n');
}

function withStateLock<Result>(place: LocalPlace, work: () => Promise<Result>): Promise<Result> {
  const onWaiting = () => place.progress.print('another command is already at work here; waiting for it');
  const options = { clock: place.machine.clock, withinMs: lockWithinMs, onWaiting };
  return withFileLock(join(place.stateDirectory, 'lock'), options, work);
}

function dataDirectory(place: Pick<LocalPlace, 'stateDirectory'>): string {
  return join(resolve(place.stateDirectory), 'control-plane');
}
