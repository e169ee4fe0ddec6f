// Requests and responses without sockets, reduced to the members that the routes need, and the body limit that the socket and the
// routes share.
import type { ServerResponse } from 'node:http';

import { isString, stringOf } from '../../lib/json-shape.ts';

/** Larger request bodies are refused with 413. The largest legitimate body is a token request. */
export const requestBodyLimitBytes = 16_384;

export interface ServiceRequest {
  readonly method: string;
  /** The target of the request line: undecoded, with the query. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** A body above `requestBodyLimitBytes` may be truncated, but stays above the limit. */
  readonly body: Uint8Array;
  /** The address of the client in its canonical spelling, see client-address.ts; absent without a socket. */
  readonly clientAddress?: string | undefined;
  /** The host that the client addressed, as a trusted proxy reports it. Absent: see `hostOf`. */
  readonly forwardedHost?: string | undefined;
  /** The scheme that the client used, also in a nextLink. */
  readonly scheme: 'http' | 'https';
  /** For log lines and the audit trail; absent without a socket. */
  readonly requestID?: string | undefined;
}

/** The caller in the access log: a class, never an identity. */
export type PrincipalClass = 'user' | 'client' | 'static-token' | 'none';

/** Distinguishes the callers that have a token. */
export interface CallerName {
  readonly class: PrincipalClass;
  /** Unique within the class. */
  readonly name: string;
}

/** The endpoints beside the two operations of section 4. They need no token. */
export type EndpointName = 'authorize' | 'token' | 'keys' | 'metadata' | 'openapi';

/** The routes by name; `unknown` is everything else. */
export type RouteName = 'list-alerts' | 'update-alert' | EndpointName | 'unknown';

export interface ServiceResponse {
  readonly status: number;
  /** Names in lower case. `content-length` is present if there is a body, or would be one without HEAD. */
  readonly headers: Readonly<Record<string, string>>;
  /** Text, or bytes that several responses share. */
  readonly body?: string | Uint8Array;
  /** `error.code` of the body, for the access log. Absent on success. */
  readonly errorCode?: string;
}

/** A response with data for the access log and the socket. */
export interface HandledRequest {
  readonly response: ServiceResponse;
  readonly route: RouteName;
  readonly principal: PrincipalClass;
  /** For the limits of one caller; absent without a token. Never logged. */
  readonly caller?: CallerName;
  /** Writes the response instead of the adapter. */
  readonly delivery?: ResponseDelivery;
  /** The name of the injected fault, for the access log. Absent without one. */
  readonly fault?: string;
}

/** The response to a request without a caller. */
export function anonymous(response: ServiceResponse, route: RouteName = 'unknown'): HandledRequest {
  return { response, route, principal: 'none' };
}

/** A way to write a response. */
export interface ResponseDelivery {
  /** `isWhole` is false if the request was not read to its end. */
  deliver(outgoing: ServerResponse, response: ServiceResponse, isWhole: boolean): void;
}

const commonHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export function jsonResponse(
  status: number,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): ServiceResponse {
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      ...commonHeaders,
      ...headers,
    },
    body,
  };
}

export function emptyResponse(status: number, headers: Record<string, string> = {}): ServiceResponse {
  return { status, headers: { ...commonHeaders, ...headers } };
}

/** The body as text; empty without a body. */
export function bodyText({ body = '' }: ServiceResponse): string {
  return isString(body) ? body : new TextDecoder().decode(body);
}

/** The response to HEAD: every header, no body. */
export function withoutBody(response: ServiceResponse): ServiceResponse {
  const { body: _, ...rest } = response;
  return rest;
}

/** The header's value; undefined when it is absent or a list. */
export function headerOf(request: Pick<ServiceRequest, 'headers'>, name: string): string | undefined {
  return stringOf(request.headers[name]);
}

/** The media type without parameters in lower case; undefined when absent or with a charset other than UTF-8. */
export function mediaTypeOf(request: ServiceRequest): string | undefined {
  const [type = '', ...parameters] = (headerOf(request, 'content-type') ?? '').toLowerCase().split(';');
  const isForeign = parameters.some((parameter) => /^\s*charset\s*=\s*(?!"?utf-8"?\s*$)/.test(parameter));
  return isForeign || type.trim() === '' ? undefined : type.trim();
}

/** The body as text; undefined when it is not UTF-8. */
export function textOf(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}
