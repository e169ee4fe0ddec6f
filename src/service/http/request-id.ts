// The id of a request: in its response, in every log line about it, and in the audit trail. A proxy or a client may have chosen one.
import { randomUUID } from 'node:crypto';

import { stringOf } from '../../lib/json-shape.ts';
import type { ServiceRequest } from './message.ts';

export const requestIDHeader = 'x-request-id';

/** The characters of the ids of common proxies and tracing libraries. None of them needs an escape in a log or in a header. */
const usable = /^[A-Za-z0-9._~:/+=@-]{1,128}$/;

/** The id that the request brings, if it brings one, and one with these characters. */
export function givenRequestID(headers: ServiceRequest['headers']): string | undefined {
  const given = stringOf(headers[requestIDHeader]);
  return given !== undefined && usable.test(given) ? given : undefined;
}

export function newRequestID(): string {
  return randomUUID();
}
