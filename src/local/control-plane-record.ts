// The file in the state folder through which `rolealerts local up` passes the process ids to `down` and `status`. The reader
// trusts nothing in it: the machine may have been rebooted since, and the file may have any content.
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { indentedJson } from '../lib/indented-json.ts';
import { isString, isWholeNumber, objectOf, parseJson } from '../lib/json-shape.ts';
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
  await writePrivateFile(recordPath(stateDirectory), indentedJson(record));
}

export async function dropRecord(stateDirectory: string): Promise<void> {
  await rm(recordPath(stateDirectory), { force: true });
}

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
