// The id of a request: in its response, in every log line about it, and in the audit trail. A proxy or a client may have chosen one.
import { randomUUID } from 'node:crypto';

import { stringOf } from '../../lib/json-shape.ts';
import type { ServiceRequest } from './message.ts';

export const requestIDHeader = 'x-request-id';

/** The characters of the ids of common proxies and tracing libraries. None of them needs an escape in a log or in a header. */
const usable = /^[A-Za-z0-9._~:/+=@-]{1,128}$/;

/** The id that the request brings, or a new one if it brings none, several, or one with other characters. */
export function requestIDOf(headers: ServiceRequest['headers']): string {
  const given = stringOf(headers[requestIDHeader]);
  return given !== undefined && usable.test(given) ? given : newRequestID();
}

export function newRequestID(): string {
  return randomUUID();
}
