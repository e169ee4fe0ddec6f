// The body of a request, as far as it may go. What a body that is too large is answered is the caller's.
import type { IncomingMessage } from 'node:http';

/**
 * Calls back once: with the whole body, or, as soon as it is above `limitBytes`, with what is there. Not at all when the sender went
 * away. What comes after is read and dropped.
 */
export function readBody(incoming: IncomingMessage, limitBytes: number, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const finish = () => {
    incoming.off('data', take);
    incoming.off('end', finish);
    incoming.resume();
    done(Buffer.concat(chunks, length));
  };
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > limitBytes) finish();
  };
  incoming.on('data', take);
  incoming.once('end', finish);
  incoming.once('error', () => incoming.destroy());
}
