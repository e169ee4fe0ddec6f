// One request and one answer, without sockets: what node:http gives and takes, reduced to what the routes need.
// Limits that protect the process stand here, so that the socket and the routes agree on them.

import type { ServerResponse } from 'node:http';

/** Request bodies above this are refused with 413. The largest legitimate one is a token request. */
export const requestBodyLimitBytes = 16_384;

export interface ServiceRequest {
  readonly method: string;
  /** As it stood on the request line: undecoded, with the query. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** May be cut, but never to `requestBodyLimitBytes` or less. */
  readonly body: Uint8Array;
  /** Where the request comes from, as the socket says; absent when it came over none. */
  readonly clientAddress?: string | undefined;
  /** How the request was received; the first part of a nextLink. */
  readonly scheme: 'http' | 'https';
}

/** What the access log calls the caller: a class, never an identity. */
export type PrincipalClass = 'user' | 'client' | 'static-token' | 'none';

/** What is answered beside the two operations of section 4, to anybody. */
export type EndpointName = 'authorize' | 'token' | 'keys' | 'metadata' | 'openapi';

/** The routes by name; `unknown` is everything else. */
export type RouteName = 'list-alerts' | 'update-alert' | EndpointName | 'unknown';

export interface ServiceResponse {
  readonly status: number;
  /** Names in lower case. `content-length` is present exactly when there is a body, or would be one but for HEAD. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** `error.code` of the body, for the access log. Absent on success. */
  readonly errorCode?: string;
}

/** A response with facts that only the access log and the socket need. */
export interface HandledRequest {
  readonly response: ServiceResponse;
  readonly route: RouteName;
  readonly principal: PrincipalClass;
  /** Writes the response instead of the adapter. */
  readonly delivery?: ResponseDelivery;
  /** The name of the fault that it met, for the access log. Absent when it met none. */
  readonly fault?: string;
}

/** A way to write a response. */
export interface ResponseDelivery {
  /** `isWhole` is false when the request was not read to its end. */
  deliver(outgoing: ServerResponse, response: ServiceResponse, isWhole: boolean): void;
}

const commonHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export function jsonResponse(status: number, body: string, headers: Record<string, string> = {}): ServiceResponse {
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

/** The same answer for HEAD: every header, no body. */
export function withoutBody(response: ServiceResponse): ServiceResponse {
  const { body: _, ...rest } = response;
  return rest;
}

/** The header's one value, or undefined when it is absent or was sent as a list. */
export function headerOf(request: ServiceRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
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
