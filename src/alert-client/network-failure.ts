// Classifies a request without a response: the service is unreachable, its certificate is not trusted, or the response is
// not valid HTTP. The codes of Node, OpenSSL and undici decide; their messages appear in the detail only.
import { AlertsError } from '../alerts/alerts-error.ts';
import { cleanText } from '../lib/clean-text.ts';
import { type CodedError, isCoded } from '../lib/errors.ts';

/** undici's parser error has no code, so its name is used instead. */
const notHttp = /^HTTPParserError$|^HPE_|^UND_ERR_(?:HEADERS_OVERFLOW|RES_)/;
const certificate =
  /CERT|^ERR_TLS|^ERR_SSL|^EPROTO$|SELF_SIGNED|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^INVALID_(?:CA|PURPOSE)$|^CRL_|^PATH_LENGTH_EXCEEDED$/;

/** Returns a `CodedError` unchanged. Attaches no cause, because that may contain bytes of the request or response. */
export function networkFailure(error: unknown): CodedError {
  if (isCoded(error)) return error;
  const code = codeOf(error);
  const detail = detailOf(error, code);
  if (certificate.test(code))
    return new AlertsError('tls-failed', 'The TLS connection to the service is not trusted.', { detail });
  if (notHttp.test(code)) {
    const facts = { reason: 'ProtocolError', detail };
    return new AlertsError('service-protocol', 'The response is not valid HTTP.', facts);
  }
  return new AlertsError('service-unreachable', 'The service could not be reached.', { detail });
}

/** The error's code, or else its name. When all of several addresses failed, the first failure counts. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : error.name;
}

function detailOf(error: unknown, code: string): string {
  const message = error instanceof Error ? error.message : '';
  return cleanText(message === '' ? code : message);
}
