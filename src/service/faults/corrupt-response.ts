// Applies a fault to a correct response. If the fault needs a body and the response has none, the response becomes 200 with an
// empty object, because 204 cannot have a body.
import type { JsonObject } from '../../lib/json-shape.ts';
import { linkOrigin } from '../http/link-origin.ts';
import {
  bodyText,
  jsonResponse,
  type HandledRequest,
  type ServiceRequest,
  type ServiceResponse,
} from '../http/message.ts';
import { splitTarget } from '../http/resource-path.ts';
import type { ResponseCorruption } from './corrupt-delivery.ts';
import type { Fault } from './fault.ts';
import { malformedBodies } from './malformed-bodies.ts';

/** A handled request, and the corruption of its delivery, if any. */
export interface Corrupted {
  readonly answered: HandledRequest;
  readonly corruption?: ResponseCorruption;
}

/** Leaves the response unchanged for faults that other code implements. */
export function corruptResponse(
  answered: HandledRequest,
  fault: Fault,
  request: ServiceRequest,
  publicOrigin: string | undefined,
): Corrupted {
  switch (fault.kind) {
    case 'cut':
      return { answered, corruption: { cutAfterBytes: fault.afterBytes } };
    case 'loseReply':
      return { answered, corruption: { cutAfterBytes: -1 } };
    case 'slow':
      return { answered, corruption: { pieceBytes: fault.pieceBytes, pieceEveryMs: fault.everyMs } };
    case 'pageLoop':
      return { answered: withNextLink(answered, ownLink(request, publicOrigin)) };
    case 'foreignNextLink':
      return { answered: withNextLink(answered, fault.link) };
    case 'huge':
    case 'malformed':
      return request.method === 'HEAD' ? { answered } : corruptBody(answered, fault);
    default:
      return { answered };
  }
}

type BodyFault = Extract<Fault, { kind: 'huge' | 'malformed' }>;

function corruptBody(answered: HandledRequest, fault: BodyFault): Corrupted {
  const { response } = answered;
  const whole = response.body === undefined ? jsonResponse(200, '{}') : response;
  const body = bodyText(whole);
  if (fault.kind === 'huge') {
    const length = Buffer.byteLength(body) + fault.bytes;
    const padded = { ...answered, response: withLength(whole, length) };
    return { answered: padded, corruption: { paddingBytes: fault.bytes } };
  }
  const { body: broken, contentType, isBinary = false } = malformedBodies[fault.how](body);
  const length = isBinary ? broken.length : Buffer.byteLength(broken);
  const headers = { ...whole.headers, ...(contentType !== undefined && { 'content-type': contentType }) };
  const malformed = withLength({ ...whole, headers, body: broken }, length);
  return { answered: { ...answered, response: malformed }, ...(isBinary && { corruption: { isBinary } }) };
}

function withLength(response: ServiceResponse, length: number): ServiceResponse {
  return { ...response, headers: { ...response.headers, 'content-length': String(length) } };
}

/** Sets the nextLink of a page of a list; leaves other responses unchanged. */
function withNextLink(answered: HandledRequest, nextLink: string): HandledRequest {
  const { response } = answered;
  if (response.status !== 200 || response.body === undefined) return answered;
  const page = JSON.parse(bodyText(response)) as JsonObject;
  return { ...answered, response: jsonResponse(200, JSON.stringify({ ...page, nextLink })) };
}

/** The URL of the requested page. */
function ownLink(request: ServiceRequest, publicOrigin: string | undefined): string {
  const { path = '/', query = '' } = splitTarget(request.target) ?? {};
  return `${linkOrigin(request, publicOrigin) ?? ''}${path}${query === '' ? '' : `?${query}`}`;
}
