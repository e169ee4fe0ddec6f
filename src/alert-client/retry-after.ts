// How long a busy service asked to be left alone (RFC 9110, 10.2.3). Pure arithmetic: who waits is the rate limiter's business.
import { jitter, type Random } from '../lib/random.ts';

/** Nobody waits longer than this, whatever the header says: a typing error must not stop a connection for a year. */
export const longestBusyMs = 3_600_000;

/** Used when the service named no time, or none worth naming. Jittered, so that connections do not return together. */
const unnamedBusyMs = 5000;
const unnamedJitter = 0.5;

/**
 * Milliseconds from the header's value, never negative and up to Infinity; undefined when it cannot be read. A date is
 * measured from the answer's own `Date`, so that a wrong clock on either side does no harm, or else from `nowMs`.
 */
export function parseRetryAfter(value: string, nowMs: number, answerDate?: string): number | undefined {
  const text = value.trim();
  if (/^[0-9]+(?:\.[0-9]+)?$/.test(text)) return Number(text) * 1000;
  const dateMs = parseHttpDate(text);
  if (dateMs === undefined) return undefined;
  const sentMs = answerDate === undefined ? undefined : parseHttpDate(answerDate.trim());
  return Math.max(0, dateMs - (sentMs ?? nowMs));
}

/** The wait itself: what was named up to an hour, or a jittered floor when nothing, zero or nonsense was named. */
export function busyDelayMs(namedMs: number | undefined, random: Random): number {
  if (namedMs === undefined || !(namedMs > 0)) return jitter(random, unnamedBusyMs, unnamedJitter);
  return Math.min(namedMs, longestBusyMs);
}

const httpDate = /^[A-Za-z]{3,9}, \d\d[ -][A-Za-z]{3}[ -]\d{2,4} \d\d:\d\d:\d\d GMT$/;

/** The two forms of RFC 9110, 5.6.7, that name their zone. */
function parseHttpDate(text: string): number | undefined {
  if (!httpDate.test(text)) return undefined;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? undefined : dateMs;
}
