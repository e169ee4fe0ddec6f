// A server of the operator without a socket: its listener answers requests in memory, so that no run waits for real events.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

/** What the listeners use of a response. */
class Answer extends Writable {
  readonly parts: Buffer[] = [];

  writeHead(): this {
    return this;
  }

  override _write(part: Buffer, _encoding: string, done: () => void): void {
    this.parts.push(part);
    done();
  }
}

/** The body of the response to `GET path`. */
export async function readFrom(listener: RequestListener, path: string): Promise<string> {
  const answer = new Answer();
  listener({ url: path } as IncomingMessage, answer as unknown as ServerResponse & { req: IncomingMessage });
  await finished(answer);
  return Buffer.concat(answer.parts).toString();
}
