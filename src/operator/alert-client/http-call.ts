// One call to the service or a token endpoint: the errors it ends with, the limit of its body, and its deadline. A request without a
// response is classified by the codes of Node, OpenSSL and undici; their messages appear in the detail only.
import type { Buffer } from 'node:buffer';

import type { Dispatcher } from 'undici';

import { AlertsError, type NetworkCause } from '../../alerts/alerts-error.ts';
import { cleanText } from '../../lib/clean-text.ts';
import type { Clock } from '../../lib/clock.ts';
import { type CodedError, isCoded, StoppedError } from '../../lib/errors.ts';
import { type CallErrors, type ResponseHead, sendWhole, type WholeResponse } from '../../lib/undici-call.ts';

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

const errors: CallErrors = { network: networkFailure, deadline: deadlinePassed, aborted: () => new StoppedError() };

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
  return new AlertsError('service-unreachable', 'The service did not respond before the deadline.', {
    reason: 'TimedOut',
  });
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

/** undici's parser error has no code, so its name is used instead. */
const notHttp = /^HTTPParserError$|^HPE_|^UND_ERR_(?:HEADERS_OVERFLOW|RES_)/;
const certificate =
  /CERT|^ERR_TLS|^ERR_SSL|^EPROTO$|SELF_SIGNED|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^INVALID_(?:CA|PURPOSE)$|^CRL_|^PATH_LENGTH_EXCEEDED$/;

/**
 * The error of a request without a response: the service is unreachable, its certificate is not trusted, or the response is not valid
 * HTTP. Returns a `CodedError` unchanged. Attaches no cause, because that may contain bytes of the request or response. `proxy` is the
 * name of the proxy on the way to the service.
 */
export function networkFailure(error: unknown, proxy?: string): CodedError {
  if (isCoded(error)) return error;
  const code = codeOf(error);
  const detail = detailOf(error, code);
  const through = proxy === undefined ? '' : ` through the proxy ${proxy}`;
  if (certificate.test(code)) {
    const what = `The TLS connection to the service${through} is not trusted`;
    return new AlertsError('tls-failed', sentence(what, code), { reason: knownCode(code)?.[1], detail });
  }
  if (notHttp.test(code)) {
    const facts = { reason: 'ProtocolError', detail };
    return new AlertsError('service-protocol', 'The response is not valid HTTP.', facts);
  }
  return new AlertsError('service-unreachable', sentence(`The service could not be reached${through}`, code), {
    reason: knownCode(code)?.[1],
    detail,
  });
}

/** What an event says of a code, and the cause that a condition names; the detail in the log has the others. */
const knownCodes: Readonly<Record<string, readonly [text: string, cause?: Exclude<NetworkCause, number>]>> = {
  ENOTFOUND: ['the host name cannot be resolved', 'NameNotResolved'],
  EAI_AGAIN: ['the host name cannot be resolved at present', 'NameNotResolved'],
  ECONNREFUSED: ['the connection was refused', 'Refused'],
  ECONNRESET: ['the connection was reset', 'Closed'],
  UND_ERR_SOCKET: ['the connection was closed', 'Closed'],
  UND_ERR_CONNECT_TIMEOUT: ['the connection took too long', 'TimedOut'],
  UND_ERR_HEADERS_TIMEOUT: ['the response took too long', 'TimedOut'],
  UND_ERR_BODY_TIMEOUT: ['the response took too long', 'TimedOut'],
  ETIMEDOUT: ['the connection took too long', 'TimedOut'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['the port does not serve TLS', 'NotTLS'],
  HPE_INVALID_CONSTANT: ['the response is not HTTP'],
  CERT_HAS_EXPIRED: ['the certificate has expired', 'CertificateExpired'],
  CERT_NOT_YET_VALID: ['the certificate is not valid yet'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['the certificate is for another host name', 'OtherHostName'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['the certificate is self-signed', 'UnknownAuthority'],
  SELF_SIGNED_CERT_IN_CHAIN: ['the authority of the certificate is unknown', 'UnknownAuthority'],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['the authority of the certificate is unknown', 'UnknownAuthority'],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['the authority of the certificate is unknown', 'UnknownAuthority'],
};

/** What an event names of a failed connection, and what the log adds. */
export function networkCause(error: unknown): { readonly cause: string | undefined; readonly detail: string } {
  const code = codeOf(error);
  return { cause: knownCode(code)?.[0], detail: detailOf(error, code) };
}

function knownCode(code: string): (typeof knownCodes)[string] | undefined {
  return Object.hasOwn(knownCodes, code) ? knownCodes[code] : undefined;
}

function sentence(what: string, code: string): string {
  const [cause] = knownCode(code) ?? [];
  return cause === undefined ? `${what}.` : `${what}: ${cause}.`;
}

/** The error's code, or else its name. When all of several addresses failed, the first failure counts. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : error.name;
}

function detailOf(error: unknown, code: string): string {
  const message = error instanceof Error ? error.message : '';
  return cleanText(message === '' ? code : message);
}
