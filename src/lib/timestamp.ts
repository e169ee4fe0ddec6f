// Times as Kubernetes objects carry them.

/** RFC 3339, UTC, whole seconds: `2026-12-24T00:00:00Z`. */
export function formatTimestamp(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19)}Z`;
}
