// Counts a response and writes its line of the access log. Only two fields of the line differ between the requests of most connections,
// so a connection remembers the text of the others.
import { jsonFields, type FlatLogger } from '../../lib/flat-log.ts';
import type { ServiceObserver } from '../observer.ts';
import type { HandledRequest } from './message.ts';

interface AskedRequest {
  readonly method: string | undefined;
  readonly requestID: string;
  readonly clientAddress: string | undefined;
  readonly elapsedMs: number;
}

/** The fields of a line but for its duration and its id, and their text before, between and after those two. */
interface KnownLine {
  readonly method: string | undefined;
  readonly clientAddress: string | undefined;
  readonly route: string;
  readonly status: number;
  readonly principal: string;
  readonly code: string | undefined;
  readonly fault: string | undefined;
  readonly before: string;
  readonly between: string;
  readonly after: string;
}

/** What a connection remembers of its last line. */
export interface LineMemory {
  line: KnownLine | undefined;
}

/** Logs the name of the route and the class of the caller, with the address of the client and the id of the request: no other identifiers, no tokens, no query. */
export function logAndCount(
  { accessLog, observer }: { readonly accessLog: FlatLogger | undefined; readonly observer: ServiceObserver },
  memory: LineMemory,
  asked: AskedRequest,
  handled: HandledRequest,
): void {
  const { route, principal, fault, response } = handled;
  const { status, errorCode } = response;
  const { elapsedMs, requestID } = asked;
  observer.answered({ route, status, principal, errorCode, fault, durationMs: elapsedMs });
  if (!accessLog) return;
  const { line } = memory;
  const { before, between, after } =
    line && isLineOf(line, asked, handled) ? line : (memory.line = lineOf(asked, handled));
  // No id has a character that JSON escapes, see request-id.ts.
  accessLog.infoText(`${before}${Math.round(elapsedMs * 10) / 10}${between}${requestID}${after}`, 'request answered');
}

function isLineOf(line: KnownLine, { method, clientAddress }: AskedRequest, handled: HandledRequest): boolean {
  const { response, route, principal, fault } = handled;
  return (
    line.route === route &&
    line.status === response.status &&
    line.method === method &&
    line.principal === principal &&
    line.clientAddress === clientAddress &&
    line.code === response.errorCode &&
    line.fault === fault
  );
}

function lineOf(
  { method, clientAddress }: AskedRequest,
  { response, route, principal, fault }: HandledRequest,
): KnownLine {
  const { status, errorCode: code } = response;
  return {
    method,
    clientAddress,
    route,
    status,
    principal,
    code,
    fault,
    before: `${jsonFields({ method, route, status })},"durationMs":`,
    between: `${jsonFields({ principal, clientAddress })},"requestID":"`,
    after: `"${jsonFields({ code, fault })}`,
  };
}
