// What the headers of a request say beside its target. Clients repeat their headers on a connection, so the adapter remembers the head of
// the last request there: comparing two lists of header lines costs less than reading one. Nothing that can change between two requests
// with equal headers belongs here: tokens, permissions and limits are checked for each request.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

import type { RequestSource, SourceOf } from './client-address.ts';
import { hasTooManyHeaders, repeatedHeader } from './header-count.ts';
import { hasValidHost } from './host-header.ts';
import type { ServiceRequest } from './message.ts';
import { givenRequestID } from './request-id.ts';

export interface RequestHead {
  /** The same object for all requests that share the head, so that others can remember what they read from it. */
  readonly headers: ServiceRequest['headers'];
  readonly source: RequestSource;
  /** The id that the request brings; undefined when it needs a new one. */
  readonly requestID: string | undefined;
  /** Without either header of a body a request ends with its headers (RFC 9112 section 6.3). */
  readonly hasBody: boolean;
  /** One valid Host, not too many headers, none repeated, no body and no expectation: nothing is left to check before the routes but the target. */
  readonly isPlain: boolean;
}

/** A request as far as its head depends on it. */
type Headed = Pick<IncomingMessage, 'rawHeaders' | 'headers' | 'httpVersion'> & { readonly socket: Socket };

/** A head, and the lines that it was read from. */
export interface KnownHead extends RequestHead {
  readonly rawHeaders: readonly string[];
  readonly httpVersion: string;
}

/**
 * Maximum number of characters of remembered headers, because each open connection keeps them, in all up to 16 MiB. A token of this
 * service has less than a thousand.
 */
const rememberedCharacters = 4096;

/** Longer targets are not remembered; nor does `known-targets.ts` keep them. */
const rememberedTargetCharacters = 512;

/** What a connection remembers of its last request, if it is worth remembering. */
export interface RequestMemory {
  head: KnownHead | undefined;
  /** Empty if there is none. */
  target: string;
}

/** The head of the request, remembered for the next one of its connection. */
export function headOnConnection(incoming: Headed, memory: RequestMemory, sourceOf: SourceOf): RequestHead {
  const head = headOf(incoming, memory.head, sourceOf);
  if (head !== memory.head) memory.head = isWorthRemembering(head) ? head : undefined;
  return head;
}

/** The target; if the last one was equal, its very text, because the maps of the routes have its hash already. */
export function targetOnConnection(target: string, memory: RequestMemory): string {
  if (memory.target === target) return memory.target;
  memory.target = target.length <= rememberedTargetCharacters ? target : '';
  return target;
}

/** The head of the request: `earlier` if it was read from the same lines. */
export function headOf(incoming: Headed, earlier: KnownHead | undefined, sourceOf: SourceOf): KnownHead {
  return earlier && isFrom(incoming, earlier) ? earlier : readHead(incoming, sourceOf);
}

/** Whether a connection may keep the head for its next request. */
export function isWorthRemembering({ isPlain, rawHeaders }: KnownHead): boolean {
  return isPlain && rawHeaders.reduce((sum, { length }) => sum + length, 0) <= rememberedCharacters;
}

function isFrom({ rawHeaders, httpVersion }: Headed, { rawHeaders: earlier, httpVersion: of }: KnownHead): boolean {
  if (rawHeaders.length !== earlier.length || httpVersion !== of) return false;
  for (let index = 0; index < rawHeaders.length; index++) if (rawHeaders[index] !== earlier[index]) return false;
  return true;
}

function readHead(incoming: Headed, sourceOf: SourceOf): KnownHead {
  const { rawHeaders, httpVersion, headers } = incoming;
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  return {
    rawHeaders,
    httpVersion,
    headers,
    source: sourceOf(incoming),
    requestID: givenRequestID(headers),
    hasBody,
    isPlain:
      !hasBody &&
      headers.expect === undefined &&
      hasValidHost(incoming) &&
      !hasTooManyHeaders(incoming) &&
      repeatedHeader(incoming) === undefined,
  };
}
