// Sends a response late, truncated, slowly or padded, as a fault requires. The server's timeouts close the connection of a client
// that stops reading.
import type { ServerResponse } from 'node:http';

import type { Clock } from '../../lib/clock.ts';
import { isString } from '../../lib/json-shape.ts';
import { headersOf } from '../http/delivery.ts';
import type { ResponseDelivery, ServiceResponse } from '../http/message.ts';
import { longestSliceBytes, padBody } from './padded-body.ts';

/** Maximum pause of a corrupted response beyond the delays of its fault, in milliseconds. */
const stalledMs = 60_000;

/** The changes to the delivery of a response. */
export interface ResponseCorruption {
  /** Delay before the first byte. */
  readonly delayMs?: number;
  /** Closes the connection after this number of bytes of the body; -1 closes it before the status line. */
  readonly cutAfterBytes?: number;
  /** Sends the body in pieces, one every `pieceEveryMs`. */
  readonly pieceBytes?: number;
  readonly pieceEveryMs?: number;
  /** White space before the last byte of the body. `content-length` already includes it. */
  readonly paddingBytes?: number;
  /** Each character of the body is one byte, so that the body may be invalid UTF-8. */
  readonly isBinary?: boolean;
}

/** Delivers a response with a corruption. Tests compare `corruption` to check that a script is repeatable. */
export class CorruptDelivery implements ResponseDelivery {
  readonly corruption: ResponseCorruption;
  readonly #clock: Clock;

  constructor(corruption: ResponseCorruption, clock: Clock) {
    this.corruption = corruption;
    this.#clock = clock;
  }

  /** Ends early when the client disconnects, and holds at most one piece in memory. */
  deliver(outgoing: ServerResponse, response: ServiceResponse, isWhole: boolean): void {
    const { delayMs = 0, cutAfterBytes, pieceBytes, pieceEveryMs = 0, paddingBytes = 0, isBinary } = this.corruption;
    const { body: given = '' } = response;
    const bytes = isString(given) ? Buffer.from(given, isBinary ? 'latin1' : 'utf8') : given;
    const body = padBody(bytes, paddingBytes);
    const sentBytes = Math.min(body.length, Math.max(cutAfterBytes ?? body.length, 0));
    const stepBytes = pieceBytes ?? longestSliceBytes;
    const finish = () => (cutAfterBytes === undefined ? outgoing.end() : outgoing.destroy());

    const sendFrom = (offset: number) => {
      if (outgoing.destroyed) return;
      const end = Math.min(offset + stepBytes, sentBytes);
      // Continue when the bytes are flushed: a cut must not overtake them.
      outgoing.write(body.slice(offset, end), () => {
        if (end >= sentBytes) finish();
        else if (pieceEveryMs === 0) sendFrom(end);
        else this.#clock.setTimer(pieceEveryMs, () => sendFrom(end));
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
    if (delayMs > 0) this.#clock.setTimer(delayMs, begin);
    else begin();
  }
}
