// Finds the process of a loopback connection by its port: read from /proc, so on Linux only.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The process of `pids` that has the socket with this local port open; undefined when there is none, or it is unknown. */
export function ownerOfPort(port: number, pids: readonly number[]): number | undefined {
  const inodes = inodesOf(port);
  return inodes.size === 0 ? undefined : pids.find((pid) => openInodes(pid).some((inode) => inodes.has(inode)));
}

function inodesOf(port: number): Set<string> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    read(() => readFileSync(file, 'utf8').split('\n')),
  );
  const own = rows.map((row) => row.trim().split(/\s+/)).filter(([, local]) => local?.endsWith(suffix));
  return new Set(own.map((columns) => columns[9] ?? ''));
}

function openInodes(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return read(() => readdirSync(folder)).flatMap((fd) =>
    read(() => [/^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${fd}`))?.[1] ?? '']),
  );
}

function read(from: () => string[]): string[] {
  try {
    return from();
  } catch {
    return [];
  }
}
