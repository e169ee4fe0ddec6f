// One call to the API server: a request with its whole response, whatever its status, or a watch, whose response streams in lines.
import type { Dispatcher } from 'undici';

import { messageOf, StoppedError } from '../../lib/errors.ts';
import {
  type CallErrors,
  type CallLimits,
  type CallReceiver,
  type CallRequest,
  type ResponseHead,
  sendWhole,
  startCall,
  type WholeResponse,
} from '../../lib/undici-call.ts';
import { errorFromResponse, toKubeFailure, unreachable } from './kube-error.ts';

export interface ApiServerResponse extends ResponseHead {
  readonly body: string;
}

/** No API server sends more: lists are paged, objects are at most 3 MB. */
const bodyLimitBytes = 256 * 1024 * 1024;

const callErrors: CallErrors = {
  network: (error) => unreachable(messageOf(error), { cause: error }),
  deadline: () => unreachable('no complete response before the deadline', { reason: 'Deadline' }),
  aborted: stopped,
};

/** Sends and resolves with the whole response, whatever its status. Rejects with `kube-unreachable`, `stopped`, or what `beforeSend` threw. */
export function sendRequest(
  dispatcher: Dispatcher,
  request: CallRequest,
  limits: CallLimits,
  beforeSend: () => void,
): Promise<ApiServerResponse> {
  const options = { limits, beforeSend, errors: callErrors, bodyLimitOf: () => bodyLimitBytes, responseOf: toResponse };
  return sendWhole(dispatcher, request, options);
}

function toResponse({ status, headers, body }: WholeResponse): ApiServerResponse {
  if (body === undefined) throw unreachable('the response is too large', { reason: 'BadAnswer' });
  return { status, headers, body: body.toString('utf8') };
}

function stopped(): StoppedError {
  return new StoppedError('The request was cancelled because the operator is stopping.');
}

/** The streamed response of a watch, whose lines one reader pulls as they arrive. watcher.ts decodes them. */
export interface WatchStream {
  /**
   * Waits for at least one line and resolves with all lines since the last call, or with `undefined` when the server ended the
   * stream cleanly (an unfinished last line is dropped). Rejects when the stream broke. One reader at a time.
   */
  read(): Promise<readonly Buffer[] | undefined>;
  /** Closes the socket. Idempotent. */
  close(): void;
}

/** An event contains one object of at most 3 MB. */
const lineLimitBytes = 16 * 1024 * 1024;

/** When the reader is this many lines behind, the stream pauses. */
const backlogLines = 2000;

/** Resolves when the server has accepted the watch. The deadline ends there; the signal also ends the open stream. */
export function openWatch(dispatcher: Dispatcher, request: CallRequest, limits: CallLimits): Promise<WatchStream> {
  return new Promise((resolve, reject) => {
    const inbox = createInbox();
    const splitter = createLineSplitter(lineLimitBytes);
    let refusal: { readonly head: ResponseHead; text: string } | undefined;
    const receiver: CallReceiver = {
      onHead(head, call) {
        if (head.status !== 200) {
          refusal = { head, text: '' };
          return;
        }
        call.cancelDeadline();
        resolve({ read: () => inbox.take(() => call.resume()), close: () => call.fail(stopped()) });
      },
      onData(chunk, call) {
        if (refusal) refusal.text = `${refusal.text}${chunk.toString('utf8')}`.slice(0, 65_536);
        else if (inbox.put(splitter.push(chunk)) > backlogLines) call.pause();
      },
      onEnd() {
        if (refusal) reject(errorFromResponse(refusal.head, refusal.text));
        inbox.end('ended');
      },
      onFailure(cause) {
        const error = toKubeFailure(cause);
        reject(error);
        inbox.end({ error });
      },
    };
    startCall(dispatcher, request, receiver, limits, callErrors);
  });
}

type Ending = 'ended' | { readonly error: Error };

/** Buffers lines between the socket and the reader. The reader gets all lines before the ending. */
function createInbox() {
  let waiting: Buffer[] = [];
  let ending: Ending | undefined;
  let wake: (() => void) | undefined;
  const signalReader = () => {
    wake?.();
    wake = undefined;
  };
  return {
    /** Returns the number of waiting lines. */
    put(lines: readonly Buffer[]): number {
      if (lines.length === 0) return waiting.length;
      waiting = waiting.length === 0 ? [...lines] : waiting.concat(lines);
      signalReader();
      return waiting.length;
    },
    end(outcome: Ending): void {
      ending ??= outcome;
      signalReader();
    },
    async take(onEmptied: () => void): Promise<readonly Buffer[] | undefined> {
      if (waiting.length === 0 && ending === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const lines = waiting;
      waiting = [];
      if (lines.length > backlogLines) onEmptied();
      if (lines.length > 0) return lines;
      if (ending === undefined || ending === 'ended') return undefined;
      throw ending.error;
    },
  };
}

const lineFeed = 0x0a;

/** Splits a stream of bytes into lines. It works on bytes, so a multi-byte character may span chunks. */
export function createLineSplitter(limitBytes: number) {
  let pending: Buffer[] = [];
  let pendingBytes = 0;

  const keep = (part: Buffer) => {
    if (part.length === 0) return;
    pendingBytes += part.length;
    if (pendingBytes > limitBytes) throw new RangeError(`a line is longer than ${limitBytes} bytes`);
    pending.push(part);
  };

  const take = (part: Buffer): Buffer => {
    if (pending.length === 0) return part;
    const line = Buffer.concat([...pending, part]);
    pending = [];
    pendingBytes = 0;
    return line;
  };

  return {
    /** Returns the lines that are now complete, without line feeds and empty lines. Throws when a line exceeds `limitBytes`. */
    push(chunk: Buffer): readonly Buffer[] {
      const lines: Buffer[] = [];
      let start = 0;
      for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
        const line = take(chunk.subarray(start, end));
        if (line.length > 0) lines.push(line);
        start = end + 1;
      }
      keep(chunk.subarray(start));
      return lines;
    },
  };
}
