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

/** The digits after the last hyphen. */
const countedDigits = 12;

/**
 * Makes ids for many requests: UUIDs with one random beginning and a count at the end, which costs less than a random number for each.
 * Ids are no secrets: a client may even choose its own.
 */
export function createRequestIDs(): () => string {
  const beginning = newRequestID().slice(0, -countedDigits);
  let count = 0;
  return () => `${beginning}${(count++).toString(16).padStart(countedDigits, '0')}`;
}
