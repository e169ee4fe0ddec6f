// The streamed response of a WATCH: one reader pulls the lines as they arrive. watch-event.ts decodes them.
import type { Dispatcher } from 'undici';

import type { CallLimits, CallReceiver, CallRequest, ResponseHead } from '../../lib/call.ts';
import { startCall } from '../../lib/undici-call.ts';
import { callErrors, stopped } from './api-server-call.ts';
import { createLineSplitter } from './line-splitter.ts';
import { errorFromResponse, toKubeFailure } from './status-error.ts';

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
