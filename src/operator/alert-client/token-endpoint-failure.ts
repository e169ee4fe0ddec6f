// What a failed request to the token endpoint means.
import * as oauth from 'oauth4webapi';

import { AlertsError, isAlertsError } from '../../alerts/alerts-error.ts';
import { cleanText } from '../../lib/clean-text.ts';
import type { Clock } from '../../lib/clock.ts';
import { type CodedError, type ErrorFacts, isCoded } from '../../lib/errors.ts';
import { stringOf } from '../../lib/json-shape.ts';
import type { Random } from '../../lib/random.ts';
import type { SecretText } from '../../lib/secret-text.ts';
import { identifierOf, withoutSecret } from './error-body.ts';
import type { HttpResponse } from './http-call.ts';
import { throttledMs } from './retry-after.ts';

/** The library's errors contain the response with its token, so they are neither rethrown nor attached as a cause. */
export function tokenFailure(
  error: unknown,
  received: HttpResponse | undefined,
  secret: SecretText,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): CodedError {
  if (isCoded(error)) return fromTransport(error);
  if (received === undefined || received.status === 200) {
    return tokenEndpointFailure('The response of the token endpoint does not conform to OAuth 2.0.', {
      status: received?.status,
    });
  }
  const retryAfterMs = throttledMs(received, clock.now(), random);
  const facts: ErrorFacts = { status: received.status, retryAfterMs, ...refusalFacts(error, secret) };
  const code = facts.serviceCode === undefined ? '' : ` and the error code ${facts.serviceCode}`;
  return tokenEndpointFailure(`The token endpoint rejected the request with status ${received.status}${code}.`, facts);
}

function fromTransport(error: CodedError): CodedError {
  if (!isAlertsError(error, 'service-unreachable', 'service-protocol')) return error;
  const detail = error.detail ?? error.message;
  const cause = error.message.split(': ')[1];
  const message = 'The request to the token endpoint failed';
  return tokenEndpointFailure(cause === undefined ? `${message}.` : `${message}: ${cause}`, { detail });
}

/** `error` and `error_description` of RFC 6749, 5.2. */
function refusalFacts(error: unknown, secret: SecretText): ErrorFacts {
  if (!(error instanceof oauth.ResponseBodyError)) return {};
  // The library checks `error` only; the description may have any type.
  const description: unknown = error.error_description;
  const code = identifierOf(withoutSecret(error.error, secret));
  const detail = cleanText(withoutSecret(stringOf(description) ?? '', secret));
  return { serviceCode: code, detail: detail === '' ? undefined : detail };
}

/** The error of the token endpoint, with a message that names no secret. */
export function tokenEndpointFailure(message: string, facts?: ErrorFacts): AlertsError {
  return new AlertsError('token-endpoint-failed', message, facts);
}
