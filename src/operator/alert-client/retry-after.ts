// Parses Retry-After (RFC 9110, 10.2.3) and derives the length of a pause. Pure; the rate limiter does the waiting.
import type { ResponseHead } from '../../lib/call.ts';
import { jitter, type Random } from '../../lib/random.ts';
import { firstHeader } from './http-call.ts';

/** The longest pause, whatever the header says: a typing error must not stop a connection for a year. */
export const longestBusyMs = 3_600_000;

/** Used when the service sent no usable time. Jittered, so that connections do not resume at the same moment. */
const defaultBusyMs = 5000;
const defaultBusyJitter = 0.5;

/**
 * The header's value in milliseconds, from 0 to Infinity; undefined when it is invalid. A date counts from the response's
 * own `Date` header, so that a wrong clock on either side has no effect, or else from `nowMs`.
 */
export function parseRetryAfter(value: string, nowMs: number, responseDate?: string): number | undefined {
  const text = value.trim();
  if (/^[0-9]+(?:\.[0-9]+)?$/.test(text)) return Number(text) * 1000;
  const dateMs = parseHttpDate(text);
  if (dateMs === undefined) return undefined;
  const sentMs = responseDate === undefined ? undefined : parseHttpDate(responseDate.trim());
  return Math.max(0, dateMs - (sentMs ?? nowMs));
}

/** The length of the pause: the requested time up to an hour, or a jittered default when it is absent, zero or invalid. */
export function busyDelayMs(requestedMs: number | undefined, random: Random): number {
  if (requestedMs === undefined || !(requestedMs > 0)) return jitter(random, defaultBusyMs, defaultBusyJitter);
  return Math.min(requestedMs, longestBusyMs);
}

/** How long to leave a server alone after this response; undefined unless it is throttling requests. `nowMs`: wall time. */
export function throttledMs({ status, headers }: ResponseHead, nowMs: number, random: Random): number | undefined {
  const header = firstHeader(headers, 'retry-after');
  if (status !== 429 && (status !== 503 || header === undefined)) return undefined;
  const requestedMs = header === undefined ? undefined : parseRetryAfter(header, nowMs, firstHeader(headers, 'date'));
  return busyDelayMs(requestedMs, random);
}

const httpDate = /^[A-Za-z]{3,9}, \d\d[ -][A-Za-z]{3}[ -]\d{2,4} \d\d:\d\d:\d\d GMT$/;

/** The two forms of RFC 9110, 5.6.7 with a time zone. */
function parseHttpDate(text: string): number | undefined {
  if (!httpDate.test(text)) return undefined;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? undefined : dateMs;
}
