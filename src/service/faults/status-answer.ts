// The response of the fault `status`, like that of a failing service or a proxy in front of it.
import type { Clock } from '../../lib/clock.ts';
import { httpDate } from '../../lib/timestamp.ts';
import { emptyResponse, jsonResponse, type ServiceResponse } from '../http/message.ts';
import { serviceErrors } from '../http/service-errors.ts';
import type { Fault, FaultRoute, RetryAfter } from './fault.ts';

/** Statuses without a body in HTTP. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

const message = 'Injected fault.';

export function statusAnswer(
  fault: Extract<Fault, { kind: 'status' }>,
  route: FaultRoute,
  clock: Clock,
): ServiceResponse {
  const { status, retryAfter } = fault;
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfterText(retryAfter, clock) };
  if (withoutBody.has(status)) return emptyResponse(status, headers);
  const code = fault.code ?? defaultCode(status, route);
  const body = route === 'token' ? { error: code, error_description: message } : { error: { code, message: message } };
  return { ...jsonResponse(status, JSON.stringify(body), headers), errorCode: code };
}

/** The default code; the token endpoint uses the error codes of OAuth. */
function defaultCode(status: number, route: FaultRoute): string {
  if (route === 'token') return status === 429 || status >= 500 ? 'temporarily_unavailable' : 'invalid_request';
  const found = Object.entries(serviceErrors).find(([, each]) => each === status);
  return found?.[0] ?? 'InjectedFault';
}

function retryAfterText(retryAfter: RetryAfter, clock: Clock): string {
  if ('text' in retryAfter) return retryAfter.text;
  return httpDate(clock.now() + retryAfter.inSeconds * 1000);
}
