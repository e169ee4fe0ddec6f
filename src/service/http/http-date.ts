// The format of dates in the headers of HTTP.

/** Milliseconds since 1970 as a date of HTTP (RFC 9110 section 5.6.7). */
export function httpDate(timeMs: number): string {
  return new Date(timeMs).toUTCString();
}
