// Interprets a response of the service: a success, or the error that the controller receives. classify.ts holds the rules; this file
// reads the headers and the body, and collects the facts for the log and the condition.
import { AlertsError } from '../alerts/alerts-error.ts';
import type { ErrorFacts } from '../lib/errors.ts';
import { parseJson } from '../lib/json-shape.ts';
import type { Random } from '../lib/random.ts';
import type { SecretText } from '../lib/secret-text.ts';
import { classify, type ServiceOperation } from './classify.ts';
import { decodeErrorBody, withoutSecret, type ErrorBody } from './error-body.ts';
import type { HttpResponse } from './http-call.ts';
import { busyDelayMs, parseRetryAfter } from './retry-after.ts';

export type Success = 'succeeded' | 'unproven';
/** The error is returned, not thrown, because the client may retry after a rejected token. */
export type Interpretation = Success | AlertsError;

export interface InterpretOptions {
  /** Masked wherever an error body echoes it. */
  readonly secret: SecretText;
  /** Wall time. */
  readonly nowMs: number;
  readonly random: Random;
}

export function interpretResponse(
  operation: ServiceOperation,
  response: HttpResponse,
  context: InterpretOptions,
): Interpretation {
  const retryAfter = headerOf(response, 'retry-after');
  const body = response.status >= 400 ? readErrorBody(response, context.secret) : undefined;
  const responseClass = classify(operation, {
    status: response.status,
    hasErrorBody: body !== undefined,
    hasRetryAfter: retryAfter !== undefined,
  });
  if (responseClass.kind !== 'failed') return responseClass.kind;
  const facts: ErrorFacts = {
    status: response.status,
    ...(responseClass.code === 'service-protocol' && { reason: 'ProtocolError' }),
    ...(responseClass.code === 'service-busy' && { retryAfterMs: busyMs(response, retryAfter, context) }),
    ...(body?.code !== undefined && { serviceCode: body.code }),
    ...detailOf(body?.message, requestIDOf(response, context.secret)),
  };
  return new AlertsError(responseClass.code, responseClass.message, facts);
}

function busyMs(response: HttpResponse, retryAfter: string | undefined, { nowMs, random }: InterpretOptions): number {
  const requestedMs =
    retryAfter === undefined ? undefined : parseRetryAfter(retryAfter, nowMs, headerOf(response, 'date'));
  return busyDelayMs(requestedMs, random);
}

/** What the service says, and the id under which its log has the request. */
function detailOf(message: string | undefined, requestID: string | undefined): Pick<ErrorFacts, 'detail'> {
  const parts = [message, requestID && `(x-request-id ${requestID})`].filter((part) => part !== undefined);
  return parts.length === 0 ? {} : { detail: parts.join(' ') };
}

/** Undefined when the response has none, or one that is no short identifier. */
function requestIDOf(response: HttpResponse, secret: SecretText): string | undefined {
  const text = withoutSecret(headerOf(response, 'x-request-id') ?? '', secret);
  return /^[A-Za-z0-9._~:/+=@-]{1,128}$/.test(text) ? text : undefined;
}

/** Ignores the content type: whatever parses as an error body is one. */
function readErrorBody({ body }: HttpResponse, secret: SecretText): ErrorBody | undefined {
  if (body === undefined || body.length === 0) return undefined;
  return decodeErrorBody(parseJson(body.toString('utf8')), secret);
}

/** The first value when the response repeats the header. */
function headerOf({ headers }: HttpResponse, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
