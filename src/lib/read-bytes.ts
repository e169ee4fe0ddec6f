// Reads bytes up to a limit: the body of a request, or a file that a person named. The file may be a device without an end, whose size is 0,
// or a pipe that no program writes. Reading such a pipe in the usual way blocks a thread of Node until a program does, and a process with
// such a thread cannot end.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';

import { type Clock, sleep, systemClock } from './clock.ts';

/** Windows has no such flag, and no such pipes. */
const withoutWaiting = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

const pieceBytes = 65_536;

/** Time between two attempts to read an empty pipe. */
const retryMs = 20;

/** An empty pipe that no program writes may get its writer later: this long. */
const writerWithinMs = 1000;

/** Time for the writer of a pipe to write more. */
const quietForMs = 300_000;

/** Bytes of a pipe or a device; a regular file may have more. */
const endlessLimitBytes = 64 * 1024 * 1024;

/** Reads to the end, or until there are more than `limitBytes`. Throws the error of the system. */
export async function readFileBytes(path: string, limitBytes: number, clock = systemClock): Promise<Buffer> {
  const file = await open(path, withoutWaiting);
  try {
    return await readToEnd(file, limitBytes, clock);
  } finally {
    await file.close();
  }
}

/** Reads to the end. Throws the error of the system, or one for a pipe or a device with too many bytes. */
export async function readWholeFile(path: string, clock = systemClock): Promise<Buffer> {
  const file = await open(path, withoutWaiting);
  try {
    if ((await file.stat()).isFile()) return await file.readFile();
    const bytes = await readToEnd(file, endlessLimitBytes, clock);
    if (bytes.length > endlessLimitBytes) throw new Error('it is no regular file, and has more than 64 MiB');
    return bytes;
  } finally {
    await file.close();
  }
}

async function readToEnd(file: FileHandle, limitBytes: number, clock: Clock): Promise<Buffer> {
  const isPipe = (await file.stat()).isFIFO();
  const piece = Buffer.allocUnsafeSlow(Math.min(pieceBytes, limitBytes + 1));
  const read = new GrowingBytes();
  let lastMs = clock.monotonic();
  while (read.length <= limitBytes) {
    const count = await readSome(file, piece);
    const quietMs = clock.monotonic() - lastMs;
    if (count === 0 && !(isPipe && read.length === 0 && quietMs < writerWithinMs)) break;
    if (count === undefined && quietMs >= quietForMs) throw new Error('its writer writes nothing');
    if (!count) {
      await sleep(clock, retryMs);
      continue;
    }
    read.add(piece.subarray(0, count));
    lastMs = clock.monotonic();
  }
  return read.bytes;
}

/** Number of bytes; 0 at the end of the file and for a pipe without a writer, undefined when a pipe has a writer and is empty. */
async function readSome(file: FileHandle, piece: Buffer): Promise<number | undefined> {
  try {
    return (await file.read(piece)).bytesRead;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined;
    throw error;
  }
}

/**
 * Reads the body of a request. Calls `done` once: with the whole body, or with the part received so far as soon as that exceeds `limitBytes`. Reads and drops
 * the rest. Does not call `done` when the sender closes the connection first. The caller responds to a body that is too large.
 */
export function readBody(incoming: IncomingMessage, limitBytes: number, done: (body: Buffer) => void): void {
  // A request without a body, whose stream emits nothing.
  if (incoming.readableEnded) {
    done(Buffer.alloc(0));
    return;
  }
  const received = new GrowingBytes();
  const finish = () => {
    incoming.off('data', take);
    incoming.off('end', finish);
    incoming.resume();
    done(received.bytes);
  };
  const take = (chunk: Buffer) => {
    received.add(chunk);
    if (received.length > limitBytes) finish();
  };
  incoming.on('data', take);
  incoming.once('end', finish);
  incoming.once('error', () => incoming.destroy());
}

/** Bytes that arrive in pieces, kept in one piece of memory: a list of the pieces would take a hundred times their bytes if each has one. */
class GrowingBytes {
  #length = 0;
  #memory = Buffer.alloc(0);

  get length(): number {
    return this.#length;
  }

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }

  add(piece: Uint8Array): void {
    const needed = this.#length + piece.length;
    if (needed > this.#memory.length) this.#grow(Math.max(needed, 2 * this.#memory.length));
    this.#memory.set(piece, this.#length);
    this.#length = needed;
  }

  #grow(toBytes: number): void {
    // Not of the shared pool, of which a few bytes would keep 64 KiB.
    const memory = Buffer.allocUnsafeSlow(toBytes);
    this.#memory.copy(memory);
    this.#memory = memory;
  }
}
