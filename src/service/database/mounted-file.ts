// Whether a file is a mount of its own, as with `docker run --volume /host/state.db:/data/state.db` or `subPath`. Its log and its lock would
// then not be beside it on the same disk, but in the container, and would get lost with that.
import { readFileSync } from 'node:fs';

/** `path` is a real path, `mounts` the text of `/proc/self/mountinfo`. */
export function isMountedAlone(path: string, mounts = readMounts()): boolean {
  return mounts.split('\n').some((line) => decode(line.split(' ')[mountPoint] ?? '') === path);
}

/** The field of a line with the mount point (proc_pid_mountinfo(5)). */
const mountPoint = 4;

/** White space and backslashes are in octal. */
function decode(field: string): string {
  return field.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCodePoint(Number.parseInt(digits, 8)));
}

/** Empty on a system without it. */
function readMounts(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return '';
  }
}
