// `rolealerts local up`, `down` and `status`: a control plane that outlives the command that started it. `down` signals a
// process only after checking that it is the recorded one, and deletes the data.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { LocalError } from '../lib/command-errors.ts';
import { dropRecord, readRecord, writeRecord, type ControlPlaneRecord } from './control-plane-record.ts';
import { startControlPlane, type ControlPlane } from './control-plane.ts';
import { endProcess } from './end-process.ts';
import { findKubectl, findServers } from './find-binaries.ts';
import type { Machine } from './machine.ts';
import { identifyProcess, isStillRunning, type SeenProcess } from './process-identity.ts';
import { renderTaken } from './progress.ts';
import { type ControlPlaneStatus, renderAccess, renderNone } from './render-status.ts';
import { type LocalContext, prepareStateDirectory, withStateLock, dataDirectory } from './state-directory.ts';

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
    const binaries = await findServers(machine, progress, { needsControllers: true });
    const kubectlPath = await findKubectl(machine, progress, binaries);
    const startMs = machine.clock.monotonic();
    const controlPlane = await startControlPlane({
      machine,
      binaries,
      dataDirectory: dataDirectory(context),
      kubeconfigPath: join(resolve(context.stateDirectory), 'kubeconfig'),
    });
    const record = await persistAndDetach(context, controlPlane, kubectlPath);
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
  await dropRecord(context.stateDirectory);
}
