// Checks whether a recorded process id still belongs to the recorded process, and ends that process only: the system reuses ids, also after a
// reboot.
import { readFile } from 'node:fs/promises';

import { LocalError } from '../lib/command-errors.ts';
import type { Machine } from './machine.ts';
import { poll } from './poll.ts';
import { runCommand, sendSignal } from './run-command.ts';

const endWithinMs = 3000;

/** A recorded process. */
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
