// Writing an answer to a socket: as it is, or spoilt the way a fault asks for. A client that takes nothing for too long is cut
// off by the server's own timeouts.
import type { ServerResponse } from 'node:http';

import type { Clock } from '../lib/clock.ts';
import type { Delivery, ServiceResponse } from './exchange.ts';

/** Writes the whole answer. A request that was not read to its end leaves its connection unusable. */
export function deliver(outgoing: ServerResponse, response: ServiceResponse, isWhole: boolean): void {
  outgoing.writeHead(response.status, headersOf(response, isWhole));
  outgoing.end(response.body);
}

/** The same with a fault on the way. Ends early when the client goes away. */
export function deliverSpoilt(
  outgoing: ServerResponse,
  response: ServiceResponse,
  delivery: Delivery,
  { isWhole, clock }: { readonly isWhole: boolean; readonly clock: Clock },
): void {
  const { delayMs = 0, cutAfterBytes, pieceBytes, pieceEveryMs = 0 } = delivery;
  const body = Buffer.from(response.body ?? '');
  const sent = cutAfterBytes === undefined ? body : body.subarray(0, Math.max(cutAfterBytes, 0));
  const finish = () => (cutAfterBytes === undefined ? outgoing.end() : outgoing.destroy());

  const sendFrom = (offset: number) => {
    if (outgoing.destroyed) return;
    const end = pieceBytes === undefined ? sent.length : offset + pieceBytes;
    // The callback says that the bytes are on their way: what is cut after them must not overtake them.
    outgoing.write(sent.subarray(offset, end), () => {
      if (end >= sent.length) finish();
      else clock.setTimer(pieceEveryMs, () => sendFrom(end));
    });
  };

  const begin = () => {
    if (outgoing.destroyed) return;
    if (cutAfterBytes === -1) {
      outgoing.destroy();
      return;
    }
    outgoing.writeHead(response.status, headersOf(response, isWhole));
    outgoing.flushHeaders();
    if (sent.length === 0) finish();
    else sendFrom(0);
  };

  if (delayMs > 0) clock.setTimer(delayMs, begin);
  else begin();
}

function headersOf(response: ServiceResponse, isWhole: boolean): Readonly<Record<string, string>> {
  return isWhole ? response.headers : { ...response.headers, connection: 'close' };
}
