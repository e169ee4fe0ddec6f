// The file in the state folder through which `rolealerts local up` passes the process ids to `down` and `status`. The reader
// trusts nothing in it: the machine may have been rebooted since, and the file may have any content.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { writePrivateFile } from './kubeconfig.ts';
import type { SeenProcess } from './process-identity.ts';

export interface ControlPlaneRecord {
  readonly url: string;
  readonly kubeconfigPath: string;
  readonly kubectlPath: string;
  /** The supervisor comes first. */
  readonly processes: readonly SeenProcess[];
}

/** Undefined when the record does not exist or is invalid. */
export async function readRecord(stateDirectory: string): Promise<ControlPlaneRecord | undefined> {
  const text = await readFile(recordPath(stateDirectory), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : decodeRecord(text);
}

export async function writeRecord(stateDirectory: string, record: ControlPlaneRecord): Promise<void> {
  await writePrivateFile(recordPath(stateDirectory), `${JSON.stringify(record, undefined, 2)}\n`);
}

export async function dropRecord(stateDirectory: string): Promise<void> {
  await rm(recordPath(stateDirectory), { force: true });
}

export function decodeRecord(text: string): ControlPlaneRecord | undefined {
  const value = parseObject(text);
  if (!value || !Array.isArray(value['processes'])) return undefined;
  const { url, kubeconfigPath, kubectlPath } = value;
  if (typeof url !== 'string' || typeof kubeconfigPath !== 'string' || typeof kubectlPath !== 'string')
    return undefined;
  const processes = value['processes'].filter(isSeenProcess);
  if (processes.length === 0 || processes.length !== value['processes'].length) return undefined;
  return { url, kubeconfigPath, kubectlPath, processes };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Rejects ids of 1 and below: for `kill`, 0 and negative ids address process groups or all processes, and 1 is init. */
function isSeenProcess(value: unknown): value is SeenProcess {
  if (typeof value !== 'object' || value === null) return false;
  const { name, pid, identity } = value as Record<string, unknown>;
  return typeof name === 'string' && typeof identity === 'string' && Number.isSafeInteger(pid) && Number(pid) > 1;
}

function recordPath(stateDirectory: string): string {
  return join(stateDirectory, 'control-plane.json');
}
