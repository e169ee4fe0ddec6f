// One call to the service or a token endpoint: the errors it ends with, the limit of its body, and its deadline.
import type { Buffer } from 'node:buffer';

import type { Dispatcher } from 'undici';

import { AlertsError } from '../../alerts/alerts-error.ts';
import type { CallErrors, ResponseHead } from '../../lib/call.ts';
import type { Clock } from '../../lib/clock.ts';
import { sendWhole, type WholeResponse } from '../../lib/whole-response.ts';
import { cancelled } from './cancelled.ts';
import { networkFailure } from './network-failure.ts';

export interface HttpRequest {
  readonly origin: string;
  /** Path and query, already encoded. */
  readonly target: string;
  readonly method: 'GET' | 'PATCH' | 'POST';
  /** Alternating names and values. */
  readonly headers: readonly string[];
  readonly body?: string;
  /** For a 200. The body of any other response is read up to 64 KiB. */
  readonly bodyLimitBytes: number;
  readonly signal: AbortSignal;
  /** A deadline shorter than the transport's own. */
  readonly timeoutMs?: number;
  /** Called in the same tick as the write to the socket. When it throws, nothing is sent and the call fails with that error. */
  readonly beforeSend?: () => void;
}

export interface HttpResponse extends ResponseHead {
  /** Undefined when it exceeds its limit, or has a content encoding. */
  readonly body: Buffer | undefined;
  /** Why `body` is undefined. */
  readonly unread?: 'TooLarge' | 'Encoded';
}

/** Enough for an error body. */
const otherBodyLimitBytes = 65_536;

const errors: CallErrors = { network: networkFailure, deadline: deadlinePassed, aborted: cancelled };

/** Resolves with any response. Rejects with a `CodedError`, or with what `beforeSend` threw. */
export function sendHttp(
  dispatcher: Dispatcher,
  clock: Clock,
  deadlineMs: number,
  request: HttpRequest,
): Promise<HttpResponse> {
  const { origin, target: path, method, body, signal } = request;
  const startMs = clock.monotonic();
  const checkDeadline = () => {
    if (clock.monotonic() - startMs >= deadlineMs) throw deadlinePassed();
  };
  const headers = request.headers as string[];
  return sendWhole(
    dispatcher,
    { origin, path, method, headers, body },
    {
      limits: { clock, deadlineMs, signal },
      errors,
      beforeSend() {
        // A process that resumes after a stop may handle the socket before the timer.
        checkDeadline();
        request.beforeSend?.();
      },
      bodyLimitOf: (head) => bodyLimitOf(head, request.bodyLimitBytes),
      responseOf(whole) {
        // The response of a PATCH counts whenever it arrives; a late LIST is stale.
        if (method === 'GET') checkDeadline();
        return toResponse(whole);
      },
    },
  );
}

function bodyLimitOf({ status, headers }: ResponseHead, limitBytes: number): number | undefined {
  if (isEncoded(headers)) return undefined;
  return status === 200 ? limitBytes : otherBodyLimitBytes;
}

function toResponse(whole: WholeResponse): HttpResponse {
  if (whole.body !== undefined) return whole;
  return { ...whole, unread: isEncoded(whole.headers) ? 'Encoded' : 'TooLarge' };
}

function deadlinePassed(): AlertsError {
  return new AlertsError('service-unreachable', 'The service did not respond before the deadline.');
}

function isEncoded(headers: ResponseHead['headers']): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && String(encoding).trim().toLowerCase() !== 'identity';
}

/** The first value when the response repeats the header. */
export function firstHeader(headers: ResponseHead['headers'], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
