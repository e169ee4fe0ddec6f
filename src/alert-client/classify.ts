// What an answer means for the loop: the table "Errors" of the design as one total function. The specification lists
// no error codes (section 7), so only the status decides; the error body decides one thing, whether a refusal of the
// list comes from the service at all or from something in between.
import type { ErrorCode } from '../lib/errors.ts';

export type ServiceOperation = 'list' | 'patch';

export interface AnswerFacts {
  readonly status: number;
  /** The body was an error body of section 2.8. */
  readonly hasErrorBody: boolean;
  /** A Retry-After header was there, readable or not. */
  readonly hasRetryAfter: boolean;
}

/** `unproven`: the change was accepted in a way that the specification does not know; a LIST has to show it. */
export type ResponseClass =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'unproven' }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string };

const succeeded: ResponseClass = { kind: 'succeeded' };
const unproven: ResponseClass = { kind: 'unproven' };

/** Total: every number has a verdict. */
export function classify(operation: ServiceOperation, response: AnswerFacts): ResponseClass {
  return (
    classifySuccess(operation, response.status) ?? classifyForAll(response) ?? classifyRefusal(operation, response)
  );
}

function classifySuccess(operation: ServiceOperation, status: number): ResponseClass | undefined {
  if (!(status >= 200 && status <= 299)) return undefined;
  if (operation === 'patch') return status === 204 ? succeeded : unproven;
  if (status === 200) return succeeded;
  return failed('service-protocol', 'The service answered the list with a success other than 200.');
}

/** What means the same for both operations. */
function classifyForAll({ status, hasRetryAfter }: AnswerFacts): ResponseClass | undefined {
  if (status === 401) return failed('service-denied', 'The service did not accept the credential.');
  if (status === 429 || (status === 503 && hasRetryAfter)) {
    return failed('service-busy', 'The service asked to be called less often.');
  }
  if (status === 408 || (status >= 500 && status <= 599)) {
    return failed('service-unreachable', 'The service could not answer.');
  }
  if (status >= 300 && status <= 399) {
    return failed('service-protocol', 'The service answered with a redirect, which is never followed.');
  }
  if (!(status >= 400 && status <= 499)) {
    return failed('service-protocol', 'The service answered with a status that HTTP does not have.');
  }
  return undefined;
}

/** 4xx. A PATCH that is refused concerns one alert; a LIST that is refused concerns the scope. */
function classifyRefusal(operation: ServiceOperation, { status, hasErrorBody }: AnswerFacts): ResponseClass {
  if (operation === 'patch') return failed('alert-refused', 'The service refused to change the alert.');
  if (status === 403) return failed('scope-forbidden', 'The service does not let this credential list the scope.');
  if (!hasErrorBody) {
    return failed('service-protocol', 'What answered the list did not send an error body as the service does.');
  }
  if (status === 404) return failed('scope-not-found', 'The service does not know the scope.');
  return failed('service-rejected', 'The service rejected the request for the list.');
}

function failed(code: ErrorCode, message: string): ResponseClass {
  return { kind: 'failed', code, message };
}
