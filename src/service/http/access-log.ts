// Counts a response and writes its line of the access log.
import type { FlatLogger } from '../../lib/flat-log.ts';
import type { ServiceObserver } from '../observer.ts';
import type { HandledRequest } from './message.ts';

interface AskedRequest {
  readonly method: string | undefined;
  readonly requestID: string;
  readonly clientAddress: string | undefined;
}

/** Logs the name of the route and the class of the caller, with the address of the client and the id of the request: no other identifiers, no tokens, no query. */
export function logAndCount(
  accessLog: FlatLogger | undefined,
  observer: ServiceObserver,
  { method, requestID, clientAddress }: AskedRequest,
  { response, route, principal, fault }: HandledRequest,
  elapsedMs: number,
): void {
  const { status, errorCode } = response;
  observer.answered({ route, status, principal, errorCode, fault, durationMs: elapsedMs });
  const durationMs = Math.round(elapsedMs * 10) / 10;
  accessLog?.info(
    { method, route, status, durationMs, principal, clientAddress, requestID, code: errorCode, fault },
    'request answered',
  );
}
