// The end of a dismissal that outlasts every test against a real API server.
import { formatTimestamp } from '../../../src/lib/timestamp.ts';

/** RFC 3339, a day ahead by this machine's clock. */
export function tomorrow(): string {
  return formatTimestamp(Date.now() + 86_400_000);
}
