// Whether a recorded process id still means the process it was recorded for: ids are used again, also after a reboot.
import { readFile } from 'node:fs/promises';

import type { Machine } from './machine.ts';
import { runCommand } from './run-command.ts';

/** A process as it was seen once. */
export interface SeenProcess {
  readonly name: string;
  readonly pid: number;
  /** From `identifyProcess`. */
  readonly identity: string;
}

/** When the process with this id started, as a text that no later process with the same id has; undefined when there is none. */
export function identifyProcess(machine: Machine, pid: number): Promise<string | undefined> {
  return machine.platform === 'linux' ? identifyOnLinux(pid) : identifyWithPs(machine, pid);
}

/** True while the very process is there; a zombie is not. */
export async function isStillRunning(machine: Machine, seen: SeenProcess): Promise<boolean> {
  return (await identifyProcess(machine, seen.pid)) === seen.identity;
}

async function identifyOnLinux(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  if (stat === undefined) return undefined;
  // The command's name stands in brackets and may itself hold brackets and spaces; the state and 19 numbers follow it.
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
