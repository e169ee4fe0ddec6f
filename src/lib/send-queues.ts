// Which TCP connections have delivered everything, from the tables of Linux: Node itself does not say what clients have received.
import { readFileBytes } from './read-file-bytes.ts';

/** A connection, as far as the tables are read. Other connections of the same ports make it unknown at worst. */
interface Ports {
  readonly localPort?: number | undefined;
  readonly remotePort?: number | undefined;
}

/**
 * The keys (`queueKey`) of the connections whose bytes have all arrived at the other machine; undefined where the system does not say. Never
 * rejects.
 */
export type ReadDelivered = () => Promise<ReadonlySet<string> | undefined>;

const tables = ['/proc/net/tcp', '/proc/net/tcp6'];

/** Some 7,000 connections. The tables of a machine with more are too long to read them often. */
const tableLimitBytes = 1024 * 1024;

export async function readDelivered(): Promise<ReadonlySet<string> | undefined> {
  const texts = await Promise.all(tables.map(readTable));
  return texts.includes(undefined) ? undefined : deliveredIn(texts.join(''));
}

export function queueKey({ localPort = 0, remotePort = 0 }: Ports): string {
  return `${localPort} ${remotePort}`;
}

/** Empty if the system has no such table; undefined if it is too long. */
async function readTable(file: string): Promise<string | undefined> {
  const bytes = await readFileBytes(file, tableLimitBytes).catch(() => Buffer.alloc(0));
  return bytes.length > tableLimitBytes ? undefined : bytes.toString('latin1');
}

/**
 * A line of an established connection: its ports, the bytes in its send queue, and its retransmission timeout, which Linux always has. A
 * system that imitates the tables (gVisor) writes 0 for both.
 */
const establishedLine =
  /^ *\d+: [\dA-F]+:([\dA-F]{4}) [\dA-F]+:([\dA-F]{4}) 01 ([\dA-F]{8}):\S+ \S+ \S+ +\d+ +\d+ +\d+ +\d+ +\S+ +(\d+) /gm;

export function deliveredIn(table: string): ReadonlySet<string> {
  const delivered = new Set<string>();
  const waiting = new Set<string>();
  for (const [, local = '', remote = '', queue, timeout] of table.matchAll(establishedLine)) {
    const key = queueKey({ localPort: parseInt(local, 16), remotePort: parseInt(remote, 16) });
    (Number(timeout) > 0 && queue === '00000000' ? delivered : waiting).add(key);
  }
  for (const key of waiting) delivered.delete(key);
  return delivered;
}
