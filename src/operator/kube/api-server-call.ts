// One call to the API server, with its errors and the limit of its body. This file does not interpret the status.
import type { Dispatcher } from 'undici';

import type { CallErrors, CallLimits, CallRequest, ResponseHead } from '../../lib/call.ts';
import { StoppedError, messageOf } from '../../lib/errors.ts';
import { sendWhole, type WholeResponse } from '../../lib/whole-response.ts';
import { unreachable } from './status-error.ts';

export interface ApiServerResponse extends ResponseHead {
  readonly body: string;
}

/** No API server sends more: lists are paged, objects are at most 3 MB. */
const bodyLimitBytes = 256 * 1024 * 1024;

export const callErrors: CallErrors = {
  network: (error) => unreachable(messageOf(error), { cause: error }),
  deadline: () => unreachable('no complete response before the deadline', { reason: 'Deadline' }),
  aborted: stopped,
};

/** Sends and resolves with the whole response, whatever its status. Rejects with `kube-unreachable`, `stopped`, or what `beforeSend` threw. */
export function sendRequest(
  dispatcher: Dispatcher,
  request: CallRequest,
  limits: CallLimits,
  beforeSend: () => void,
): Promise<ApiServerResponse> {
  const options = { limits, beforeSend, errors: callErrors, bodyLimitOf: () => bodyLimitBytes, responseOf: toResponse };
  return sendWhole(dispatcher, request, options);
}

function toResponse({ status, headers, body }: WholeResponse): ApiServerResponse {
  if (body === undefined) throw unreachable('the response is too large', { reason: 'BadAnswer' });
  return { status, headers, body: body.toString('utf8') };
}

export function stopped(): StoppedError {
  return new StoppedError('The request was cancelled because the operator is stopping.');
}
