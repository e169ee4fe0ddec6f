// The time formats of Kubernetes objects and of HTTP.

/** RFC 3339, UTC, whole seconds: `2026-12-24T00:00:00Z`. */
export function formatTimestamp(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
}

/** Kubernetes' MicroTime: RFC 3339, UTC, with six digits after the second. `microseconds`: 0 to 999, added to `timeMs`. */
export function formatMicroTime(timeMs: number, microseconds = 0): string {
  return new Date(timeMs).toISOString().replace(/Z$/, `${String(microseconds).padStart(3, '0')}Z`);
}

/** Milliseconds since 1970 of an RFC 3339 time, its microseconds as thousandths; NaN for any other text. */
export function parseMicroTime(text: string): number {
  const microseconds = /\.[0-9]{3}([0-9]{1,3})/.exec(text)?.[1] ?? '';
  return Date.parse(text) + Number(microseconds.padEnd(3, '0')) / 1000;
}

/** The format of dates in the headers of HTTP (RFC 9110 section 5.6.7). */
export function httpDate(timeMs: number): string {
  return new Date(timeMs).toUTCString();
}
