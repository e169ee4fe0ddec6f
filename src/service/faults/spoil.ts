// What a fault makes of a true answer on its way out. Where a fault needs a body and the answer has none, it becomes 200
// with an empty object: 204 cannot carry one.
import type { JsonObject } from '../alert-document.ts';
import { headerOf, jsonResponse, type Answered, type ServiceRequest, type ServiceResponse } from '../exchange.ts';
import { splitTarget } from '../resource-path.ts';
import type { Fault } from './fault.ts';
import { malformedBodies } from './malformed-bodies.ts';

/** Faults that need more than the answer leave it as it is. */
export function spoil(answered: Answered, fault: Fault, request: ServiceRequest): Answered {
  switch (fault.kind) {
    case 'cut':
      return { ...answered, delivery: { cutAfterBytes: fault.afterBytes } };
    case 'loseReply':
      return { ...answered, delivery: { cutAfterBytes: -1 } };
    case 'slow':
      return { ...answered, delivery: { pieceBytes: fault.pieceBytes, pieceEveryMs: fault.everyMs } };
    case 'pageLoop':
      return withNextLink(answered, ownLink(request));
    case 'foreignNextLink':
      return withNextLink(answered, fault.link);
    case 'huge':
    case 'malformed':
      return request.method === 'HEAD' ? answered : spoilBody(answered, fault);
    default:
      return answered;
  }
}

type BodyFault = Extract<Fault, { kind: 'huge' | 'malformed' }>;

function spoilBody(answered: Answered, fault: BodyFault): Answered {
  const { response } = answered;
  const whole = response.body === undefined ? jsonResponse(200, '{}') : response;
  const { body = '' } = whole;
  if (fault.kind === 'huge') {
    const length = Buffer.byteLength(body) + fault.bytes;
    return { ...answered, response: withLength(whole, length), delivery: { paddingBytes: fault.bytes } };
  }
  const { body: broken, contentType, isBinary = false } = malformedBodies[fault.how](body);
  const length = isBinary ? broken.length : Buffer.byteLength(broken);
  const headers = { ...whole.headers, ...(contentType !== undefined && { 'content-type': contentType }) };
  const spoilt = withLength({ ...whole, headers, body: broken }, length);
  return { ...answered, response: spoilt, ...(isBinary && { delivery: { isBinary } }) };
}

function withLength(response: ServiceResponse, length: number): ServiceResponse {
  return { ...response, headers: { ...response.headers, 'content-length': String(length) } };
}

/** Only a page of a list has one. */
function withNextLink(answered: Answered, nextLink: string): Answered {
  const { response } = answered;
  if (response.status !== 200 || response.body === undefined) return answered;
  const page = JSON.parse(response.body) as JsonObject;
  return { ...answered, response: jsonResponse(200, JSON.stringify({ ...page, nextLink })) };
}

/** The page that was asked for, on the host that it was asked of. */
function ownLink(request: ServiceRequest): string {
  const { path = '/', query = '' } = splitTarget(request.target) ?? {};
  return `${request.scheme}://${headerOf(request, 'host') ?? ''}${path}${query === '' ? '' : `?${query}`}`;
}
