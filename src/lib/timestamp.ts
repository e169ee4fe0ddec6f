// The time formats of Kubernetes objects.

/** RFC 3339, UTC, whole seconds: `2026-12-24T00:00:00Z`. */
export function formatTimestamp(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
}

/** Kubernetes' MicroTime: RFC 3339, UTC, with six digits after the second. */
export function formatMicroTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/Z$/, '000Z');
}
