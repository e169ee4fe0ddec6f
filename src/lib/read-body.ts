// Reads the body of a request up to a limit. The caller responds to a body that is too large.
import type { IncomingMessage } from 'node:http';

/**
 * Calls `done` once: with the whole body, or with the part received so far as soon as that exceeds `limitBytes`. Reads and drops
 * the rest. Does not call `done` when the sender closes the connection first.
 */
export function readBody(incoming: IncomingMessage, limitBytes: number, done: (body: Buffer) => void): void {
  // A request without a body, whose stream emits nothing.
  if (incoming.readableEnded) {
    done(Buffer.alloc(0));
    return;
  }
  const received = new Received();
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

/** Bytes in one piece of memory. A list of the chunks would take a hundred times their bytes if each has one. */
class Received {
  length = 0;
  #memory = Buffer.alloc(0);

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.length);
  }

  add(chunk: Buffer): void {
    const needed = this.length + chunk.length;
    if (needed > this.#memory.length) this.#grow(Math.max(needed, 2 * this.#memory.length));
    chunk.copy(this.#memory, this.length);
    this.length = needed;
  }

  #grow(toBytes: number): void {
    // Not of the shared pool, of which one small body would keep 64 KiB.
    const memory = Buffer.allocUnsafeSlow(toBytes);
    this.#memory.copy(memory);
    this.#memory = memory;
  }
}
