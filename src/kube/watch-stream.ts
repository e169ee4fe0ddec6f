// The open answer of a WATCH: lines as they arrive, pulled by one reader. What a line means is decided elsewhere.
import type { Dispatcher } from 'undici';

import { CodedError, messageOf } from '../lib/errors.ts';
import {
  startCall,
  type CallLimits,
  type CallReceiver,
  type CallRequest,
  type ResponseHead,
} from '../lib/undici-call.ts';
import { callErrors, stopped } from './api-server-call.ts';
import { createLineSplitter } from './line-splitter.ts';
import { errorFromResponse, unreachable } from './status-error.ts';

export interface WatchStream {
  /**
   * The lines that came since the last call, at least one; waits for them. `undefined` when the server ended the stream in
   * order (an unfinished last line is dropped). Rejects when it broke. One reader at a time.
   */
  read(): Promise<readonly Buffer[] | undefined>;
  /** Drops the connection. Repetition is harmless. */
  close(): void;
}

/** Objects are at most 3 MB, and an event holds one. */
const lineLimitBytes = 16 * 1024 * 1024;

/** When the reader is this many lines behind, the server is made to wait. */
const backlogLines = 2000;

/** Resolves when the server has accepted the watch. The deadline covers only that; the signal ends the stream later, too. */
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
        const error = cause instanceof CodedError ? cause : unreachable(messageOf(cause), { cause });
        reject(error);
        inbox.end({ error });
      },
    };
    startCall(dispatcher, request, receiver, limits, callErrors);
  });
}

type Ending = 'ended' | { readonly error: Error };

/** Lines between the socket and the one reader. What came before the ending is read before it. */
interface Inbox {
  /** How many lines now wait. */
  put(lines: readonly Buffer[]): number;
  end(ending: Ending): void;
  take(onEmptied: () => void): Promise<readonly Buffer[] | undefined>;
}

function createInbox(): Inbox {
  let waiting: Buffer[] = [];
  let ending: Ending | undefined;
  let wake: (() => void) | undefined;
  const signalReader = () => {
    wake?.();
    wake = undefined;
  };
  return {
    put(lines) {
      if (lines.length === 0) return waiting.length;
      waiting = waiting.length === 0 ? [...lines] : waiting.concat(lines);
      signalReader();
      return waiting.length;
    },
    end(outcome) {
      ending ??= outcome;
      signalReader();
    },
    async take(onEmptied) {
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
