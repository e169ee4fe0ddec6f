// What a call over undici's dispatcher promises both edges, on a dispatcher whose steps the test takes itself.
import { Buffer } from 'node:buffer';

import { Dispatcher } from 'undici';
import { expect, it } from 'vitest';

import { type Call, sendWhole, startCall } from '../../../src/lib/undici-call.ts';
import { ManualClock } from '../../support/rigs/manual-clock.ts';

/** Keeps the handler that it was given, and the reasons of aborts. */
class SteppedDispatcher extends Dispatcher {
  readonly aborts: string[] = [];
  readonly controller = {
    aborted: false,
    paused: false,
    reason: null,
    abort: (reason: Error) => void this.aborts.push(reason.message),
    pause: () => undefined,
    resume: () => undefined,
  };
  #handler: Dispatcher.DispatchHandler = {};

  override dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.#handler = handler;
    return true;
  }

  start(): void {
    this.#handler.onRequestStart?.(this.controller, {});
  }

  head(status: number, headers: Readonly<Record<string, string>> = {}): void {
    this.#handler.onResponseStart?.(this.controller, status, headers, '');
  }

  data(text: string): void {
    this.#handler.onResponseData?.(this.controller, Buffer.from(text));
  }

  end(): void {
    this.#handler.onResponseEnd?.(this.controller, {});
  }

  break(): void {
    this.#handler.onResponseError?.(this.controller, new Error('reset'));
  }
}

const request = { method: 'GET', path: '/', headers: {} } as const;
const errors = {
  network: (error: Error) => new Error(`network: ${error.message}`),
  deadline: () => new Error('late'),
  aborted: () => new Error('aborted'),
};

interface Rig {
  readonly dispatcher: SteppedDispatcher;
  readonly clock: ManualClock;
  readonly abort: AbortController;
  /** The calls of the receiver, in order. */
  readonly reports: string[];
  readonly call: Call;
}

function startedCall(fault: { readonly beforeSend?: () => void; readonly onData?: () => void } = {}): Rig {
  const [dispatcher, clock, abort] = [new SteppedDispatcher(), new ManualClock(), new AbortController()];
  const reports: string[] = [];
  const receiver = {
    beforeSend() {
      reports.push('send');
      fault.beforeSend?.();
    },
    onHead: ({ status }: { readonly status: number }) => void reports.push(`head ${status}`),
    onData(chunk: Buffer) {
      reports.push(`data ${chunk.toString()}`);
      fault.onData?.();
    },
    onEnd: () => void reports.push('end'),
    onFailure: (error: unknown) => void reports.push(String(error)),
  };
  const call = startCall(dispatcher, request, receiver, { clock, deadlineMs: 1000, signal: abort.signal }, errors);
  return { dispatcher, clock, abort, reports, call };
}

function raise(message: string): () => never {
  return () => {
    throw new Error(message);
  };
}

it('reports the head of the last response, each chunk and the end, and nothing afterwards', async () => {
  const { dispatcher, clock, abort, reports, call } = startedCall();
  dispatcher.start();
  dispatcher.head(103);
  dispatcher.head(200);
  dispatcher.data('a');
  dispatcher.end();
  dispatcher.break();
  await clock.advance(1000);
  abort.abort();
  call.fail(new Error('too late'));
  expect(reports).toEqual(['send', 'head 200', 'data a', 'end']);
  expect(dispatcher.aborts).toEqual([]);
});

it('never sends a request that failed while it waited for a connection', () => {
  const { dispatcher, reports, call } = startedCall();
  call.fail(new Error('given up'));
  dispatcher.start();
  expect(reports).toEqual(['Error: given up']);
  expect(dispatcher.aborts).toEqual(['aborted']);
});

it('fails with what the receiver threw, and drops the connection', () => {
  const { dispatcher, reports } = startedCall({ onData: raise('unreadable') });
  dispatcher.start();
  dispatcher.head(200);
  dispatcher.data('a');
  dispatcher.data('b');
  dispatcher.end();
  expect(reports).toEqual(['send', 'head 200', 'data a', 'Error: unreadable']);
  expect(dispatcher.aborts).toEqual(['aborted']);
});

it('ends only with its signal after its deadline is cancelled', async () => {
  const { dispatcher, clock, abort, reports, call } = startedCall();
  dispatcher.start();
  call.cancelDeadline();
  await clock.advance(1000);
  expect(reports).toEqual(['send']);
  abort.abort();
  expect(reports).toEqual(['send', 'Error: aborted']);
});

it.each<[string, number | undefined, Readonly<Record<string, string>>, readonly string[], string | undefined]>([
  ['of its limit', 4, {}, ['ab', 'cd'], 'abcd'],
  ['above its limit', 4, {}, ['ab', 'cde'], undefined],
  ['that is announced above its limit', 4, { 'content-length': '5' }, [], undefined],
  ['that is not to be read', undefined, {}, ['ab'], undefined],
])('resolves with the status and a body %s', async (_, limitBytes, headers, chunks, body) => {
  const [dispatcher, clock] = [new SteppedDispatcher(), new ManualClock()];
  const whole = sendWhole(dispatcher, request, {
    limits: { clock, deadlineMs: 1000 },
    errors,
    bodyLimitOf: () => limitBytes,
    responseOf: ({ status, body }) => ({ status, body: body?.toString() }),
  });
  dispatcher.start();
  dispatcher.head(201, headers);
  for (const chunk of chunks) dispatcher.data(chunk);
  dispatcher.end();
  expect(await whole).toEqual({ status: 201, body });
  expect(dispatcher.aborts).toEqual(body === undefined ? ['aborted'] : []);
});
