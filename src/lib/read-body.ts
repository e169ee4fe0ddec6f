// Reads the body of a request up to a limit. The caller responds to a body that is too large.
import type { IncomingMessage } from 'node:http';

import { GrowingBytes } from './growing-bytes.ts';

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
