// One call to the API server: the errors it ends with and the limit of its body. It does not interpret the status.
import type { Dispatcher } from 'undici';

import { CodedError, messageOf } from '../lib/errors.ts';
import {
  sendWhole,
  type CallErrors,
  type CallLimits,
  type CallRequest,
  type ResponseHead,
  type WholeResponse,
} from '../lib/undici-call.ts';
import { unreachable } from './status-error.ts';

export interface ApiServerResponse extends ResponseHead {
  readonly body: string;
}

/** More than this is not an answer of an API server: lists are paged, objects are at most 3 MB. */
const bodyLimitBytes = 256 * 1024 * 1024;

export const callErrors: CallErrors = {
  network: (error) => unreachable(messageOf(error), { cause: error }),
  deadline: () => unreachable('no whole answer in time', { reason: 'Deadline' }),
  aborted: stopped,
};

/** Sends and resolves with the whole response, whatever its status. Rejects with `kube-unreachable` or `stopped`. */
export function sendRequest(
  dispatcher: Dispatcher,
  request: CallRequest,
  limits: CallLimits,
): Promise<ApiServerResponse> {
  const options = { limits, errors: callErrors, bodyLimitOf: () => bodyLimitBytes, responseOf: toResponse };
  return sendWhole(dispatcher, request, options);
}

function toResponse({ status, headers, body }: WholeResponse): ApiServerResponse {
  if (body === undefined) throw unreachable('the answer is too large', { reason: 'BadAnswer' });
  return { status, headers, body: body.toString('utf8') };
}

export function stopped(): CodedError {
  return new CodedError('stopped', 'The request was given up because the operator is stopping.');
}
