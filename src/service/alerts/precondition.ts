// The preconditions of an update (RFC 9110 section 13). A single alert has no representation to read and therefore no entity tag, so
// only its existence can be a condition.
import { headerOf, type ServiceRequest } from '../http/message.ts';

/**
 * Whether the preconditions of the request hold for an alert that exists: `If-Match` with a tag never does, because no alert has one,
 * and `If-None-Match: *` asks for an alert that does not exist. Dates are ignored: an alert has none that covers its flag.
 */
export function preconditionsHold(request: ServiceRequest): boolean {
  const ifMatch = headerOf(request, 'if-match');
  const ifNoneMatch = headerOf(request, 'if-none-match');
  return (ifMatch === undefined || ifMatch.trim() === '*') && ifNoneMatch?.trim() !== '*';
}
