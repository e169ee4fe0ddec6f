// Times as Kubernetes objects carry them.

/** RFC 3339, UTC, whole seconds: `2026-12-24T00:00:00Z`. */
export function formatTimestamp(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
}

/** The same with the six digits below the second that Kubernetes' MicroTime wants. */
export function formatMicroTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/Z$/, '000Z');
}
