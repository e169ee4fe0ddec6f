// A cgroup with a limit of memory, as a pod has one, where this machine lets a test make it: as root on Linux, with version 2 or with
// the controller of version 1.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface MemoryCgroup {
  /** The command that runs `command` within the limit. */
  wrap(command: string, args: readonly string[]): readonly [string, readonly string[]];
  /** How often the kernel ended a process of the group because of the limit. */
  killed(): number;
  /** Peak of the group, with its files in memory and its sockets. Version 1 counts the sockets apart, and beside the limit. */
  peakBytes(): number;
  /** After its processes have ended. */
  remove(): void;
}

/** Undefined where no such cgroup can be made. */
export function createMemoryCgroup(limitBytes: number): MemoryCgroup | undefined {
  const name = `rolealerts-test-${process.pid}`;
  const version2 = existsSync('/sys/fs/cgroup/cgroup.controllers');
  const folder = join(version2 ? '/sys/fs/cgroup' : '/sys/fs/cgroup/memory', name);
  const files = version2
    ? { limit: 'memory.max', peak: 'memory.peak', events: 'memory.events' }
    : { limit: 'memory.limit_in_bytes', peak: 'memory.max_usage_in_bytes', events: 'memory.oom_control' };
  const sockets = version2 ? undefined : 'memory.kmem.tcp';
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, files.limit), String(limitBytes));
    // Version 1 counts sockets once there is a limit.
    if (sockets) writeFileSync(join(folder, `${sockets}.limit_in_bytes`), String(16 * limitBytes));
  } catch {
    return undefined;
  }
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  return {
    wrap: (command, args) => [
      '/bin/sh',
      ['-c', `echo $$ > ${join(folder, 'cgroup.procs')} && exec "$0" "$@"`, command, ...args],
    ],
    killed: () => Number(/^oom_kill (\d+)$/m.exec(read(files.events))?.[1]),
    peakBytes: () => Number(read(files.peak)) + (sockets ? Number(read(`${sockets}.max_usage_in_bytes`)) : 0),
    remove: () => rmdirSync(folder),
  };
}
