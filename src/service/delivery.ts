// Writing an answer to a socket: as it is, or spoilt the way a fault asks for. A client that takes nothing for too long is cut
// off by the server's own timeouts.
import type { ServerResponse } from 'node:http';

import type { Clock } from '../lib/clock.ts';
import type { Delivery, ServiceResponse } from './exchange.ts';
import { longestSliceBytes, padBody } from './padded-body.ts';

/** A spoilt answer may be silent for so long beyond what its fault asks for. */
const stalledMs = 60_000;

/** Writes the whole answer. A request that was not read to its end leaves its connection unusable. */
export function deliver(outgoing: ServerResponse, response: ServiceResponse, isWhole: boolean): void {
  outgoing.writeHead(response.status, headersOf(response, isWhole));
  outgoing.end(response.body, encodingOf(response));
}

/** As many bytes as characters: it is ASCII, and need not be encoded one by one. */
function encodingOf({ body = '', headers }: ServiceResponse): 'latin1' | 'utf8' {
  return headers['content-length'] === String(body.length) ? 'latin1' : 'utf8';
}

/** The same with a fault on the way. Ends early when the client goes away, and holds no more than one piece in memory. */
export function deliverSpoilt(
  outgoing: ServerResponse,
  response: ServiceResponse,
  delivery: Delivery,
  { isWhole, clock }: { readonly isWhole: boolean; readonly clock: Clock },
): void {
  const { delayMs = 0, cutAfterBytes, pieceBytes, pieceEveryMs = 0, paddingBytes = 0, isBinary = false } = delivery;
  const body = padBody(Buffer.from(response.body ?? '', isBinary ? 'latin1' : 'utf8'), paddingBytes);
  const sentBytes = Math.min(body.length, Math.max(cutAfterBytes ?? body.length, 0));
  const stepBytes = pieceBytes ?? longestSliceBytes;
  const finish = () => (cutAfterBytes === undefined ? outgoing.end() : outgoing.destroy());

  const sendFrom = (offset: number) => {
    if (outgoing.destroyed) return;
    const end = Math.min(offset + stepBytes, sentBytes);
    // The callback says that the bytes are on their way: what is cut after them must not overtake them.
    outgoing.write(body.slice(offset, end), () => {
      if (end >= sentBytes) finish();
      else if (pieceEveryMs === 0) sendFrom(end);
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
    if (sentBytes === 0) finish();
    else sendFrom(0);
  };

  outgoing.setTimeout(delayMs + pieceEveryMs + stalledMs);
  if (delayMs > 0) clock.setTimer(delayMs, begin);
  else begin();
}

function headersOf(response: ServiceResponse, isWhole: boolean): Readonly<Record<string, string>> {
  return isWhole ? response.headers : { ...response.headers, connection: 'close' };
}
