// Ends a recorded process, and never another one with its id.
import { LocalError } from '../lib/command-errors.ts';
import type { Machine } from './machine.ts';
import { poll } from './poll.ts';
import { isStillRunning, type SeenProcess } from './process-identity.ts';

const endWithinMs = 3000;

/** Does nothing when it is no longer running. Sends SIGKILL after three seconds; throws `LocalError` when that fails too. */
export async function endProcess(machine: Machine, seen: SeenProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
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
