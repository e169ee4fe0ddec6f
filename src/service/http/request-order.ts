// The order of the requests of one connection. Those that a client sends without waiting for responses run side by side only if all of
// them are safe (RFC 9112 section 9.3.2): otherwise a list could show a state from before an update whose response precedes its own.
import type { ServerResponse } from 'node:http';

/** RFC 9110 section 9.2.1, as far as the service has these methods. */
const safeMethods: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether the request of `own` must wait for an earlier one. `waiting` are the responses of its connection that have not ended. */
export function mustWait(waiting: readonly ServerResponse[], own: ServerResponse): boolean {
  if (waiting[0] === own) return false;
  return waiting.slice(0, waiting.indexOf(own) + 1).some(({ req }) => !safeMethods.has(req.method));
}
