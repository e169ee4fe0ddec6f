// A response that reaches the client late, cut, slowly or padded, as a fault demands. The server's timeouts close the connection of a
// client that reads nothing for too long.
import type { ServerResponse } from 'node:http';

import type { Clock } from '../../lib/clock.ts';
import { headersOf } from '../http/delivery.ts';
import type { ResponseDelivery, ServiceResponse } from '../http/message.ts';
import { longestSliceBytes, padBody } from './padded-body.ts';

/** How long a corrupted response may pause beyond what its fault demands. */
const stalledMs = 60_000;

/** What happens to a response on its way to the client. */
export interface ResponseCorruption {
  /** Before the first byte. */
  readonly delayMs?: number;
  /** The connection is closed after so many bytes of the body; -1 closes it before the status line. */
  readonly cutAfterBytes?: number;
  /** The body goes out in pieces, each `pieceEveryMs` after the one before. */
  readonly pieceBytes?: number;
  readonly pieceEveryMs?: number;
  /** White space that is put before the last byte of the body. `content-length` counts it already. */
  readonly paddingBytes?: number;
  /** Each character of the body is one byte, so that it need not be UTF-8. */
  readonly isBinary?: boolean;
}

/** Delivers a response with a corruption. Compares by its corruption, so that a script can be shown to be repeatable. */
export class CorruptDelivery implements ResponseDelivery {
  readonly corruption: ResponseCorruption;
  readonly #clock: Clock;

  constructor(corruption: ResponseCorruption, clock: Clock) {
    this.corruption = corruption;
    this.#clock = clock;
  }

  deliver(outgoing: ServerResponse, response: ServiceResponse, isWhole: boolean): void {
    corruptDelivery(outgoing, response, this.corruption, { isWhole, clock: this.#clock });
  }
}

/** Writes the response. Ends early when the client disconnects, and holds at most one piece in memory. */
export function corruptDelivery(
  outgoing: ServerResponse,
  response: ServiceResponse,
  corruption: ResponseCorruption,
  { isWhole, clock }: { readonly isWhole: boolean; readonly clock: Clock },
): void {
  const { delayMs = 0, cutAfterBytes, pieceBytes, pieceEveryMs = 0, paddingBytes = 0, isBinary = false } = corruption;
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
