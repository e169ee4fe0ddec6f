// Counts a response and writes its line of the access log.
import type { Logger } from '../../lib/log.ts';
import type { ServiceObserver } from '../observer.ts';
import type { HandledRequest } from './message.ts';

interface AskedRequest {
  readonly method: string | undefined;
  readonly requestID: string;
  readonly clientAddress: string | undefined;
}

/** Logs the name of the route and the class of the caller, with the address of the client and the id of the request: no other identifiers, no tokens, no query. */
export function logAndCount(
  accessLog: Logger | undefined,
  observer: ServiceObserver,
  { method, requestID, clientAddress }: AskedRequest,
  { response, route, principal, fault }: HandledRequest,
  elapsedMs: number,
): void {
  const { status, errorCode } = response;
  const met = fault === undefined ? {} : { fault };
  observer.answered({
    route,
    status,
    principal,
    durationMs: elapsedMs,
    ...(errorCode !== undefined && { errorCode }),
    ...met,
  });
  const durationMs = Math.round(elapsedMs * 10) / 10;
  const more = { ...(errorCode !== undefined && { code: errorCode }), ...met };
  accessLog?.info(
    { method, route, status, durationMs, principal, clientAddress, requestID, ...more },
    'request answered',
  );
}
