// Interprets a response of the service: a success, or the error that the controller receives. classify.ts holds the rules; this file
// reads the headers and the body, and collects the facts for the log and the condition.
import { AlertsError } from '../../alerts/alerts-error.ts';
import { parseJson } from '../../lib/json-shape.ts';
import type { Random } from '../../lib/random.ts';
import type { SecretText } from '../../lib/secret-text.ts';
import { classify, type ServiceOperation, type Success } from './classify.ts';
import { decodeErrorBody, withoutSecret, type ErrorBody } from './error-body.ts';
import { firstHeader, type HttpResponse } from './http-call.ts';
import { throttledMs } from './retry-after.ts';

export interface InterpretOptions {
  /** Masked wherever an error body echoes it. */
  readonly secret: SecretText;
  /** Wall time. */
  readonly nowMs: number;
  readonly random: Random;
}

/** The error is returned, not thrown, because the client may retry after a rejected token. */
export function interpretResponse(
  operation: ServiceOperation,
  response: HttpResponse,
  { secret, nowMs, random }: InterpretOptions,
): Success | AlertsError {
  const { status } = response;
  const retryAfterMs = throttledMs(response, nowMs, random);
  const body = status >= 400 ? readErrorBody(response, secret) : undefined;
  const facts = { status, hasErrorBody: body !== undefined, isThrottled: retryAfterMs !== undefined };
  const found = classify(operation, facts);
  if (typeof found === 'string') return found;
  const [code, message] = found;
  return new AlertsError(code, message, {
    status,
    reason: code === 'service-protocol' ? 'ProtocolError' : undefined,
    retryAfterMs,
    serviceCode: body?.code,
    detail: detailOf(body?.message, requestIDOf(response, secret)),
  });
}

/** What the service says, and the id under which its log has the request. */
function detailOf(message: string | undefined, requestID: string | undefined): string | undefined {
  const parts = [message, requestID && `(x-request-id ${requestID})`].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(' ');
}

/** Undefined when the response has none, or one that is no short identifier. */
function requestIDOf(response: HttpResponse, secret: SecretText): string | undefined {
  const text = withoutSecret(firstHeader(response.headers, 'x-request-id') ?? '', secret);
  return /^[A-Za-z0-9._~:/+=@-]{1,128}$/.test(text) ? text : undefined;
}

/** Ignores the content type: whatever parses as an error body is one. */
function readErrorBody({ body }: HttpResponse, secret: SecretText): ErrorBody | undefined {
  if (body === undefined || body.length === 0) return undefined;
  return decodeErrorBody(parseJson(body.toString('utf8')), secret);
}
