// The body of a request to the token endpoint.
import type { ServiceRequest } from '../../http/message.ts';
import { parseFormBody, type Parameters } from '../form.ts';
import type { Refusal } from './oauth-error.ts';

export function readForm(request: ServiceRequest): Parameters | Refusal {
  const form = parseFormBody(request);
  if (!form) {
    return { error: 'invalid_request', description: 'The body must be application/x-www-form-urlencoded in UTF-8.' };
  }
  if (form.repeated.size > 0) return { error: 'invalid_request', description: 'A parameter is repeated.' };
  return form.parameters;
}
