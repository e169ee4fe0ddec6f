// A cgroup with a limit of memory, as a pod has one, where this machine lets a test make it: as root on Linux, with version 2 or with
// the controller of version 1.
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface MemoryCgroup {
  /** The command that runs `command` within the limit. */
  wrap(command: string, args: readonly string[]): readonly [string, readonly string[]];
  /** How often the kernel ended a process of the group because of the limit. */
  killed(): number;
  /** Peak of the group, with its files in memory. */
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
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, files.limit), String(limitBytes));
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
    peakBytes: () => Number(read(files.peak)),
    remove: () => rmdirSync(folder),
  };
}
