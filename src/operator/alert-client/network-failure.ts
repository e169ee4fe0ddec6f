// Classifies a request without a response: the service is unreachable, its certificate is not trusted, or the response is
// not valid HTTP. The codes of Node, OpenSSL and undici decide; their messages appear in the detail only.
import { AlertsError } from '../../alerts/alerts-error.ts';
import { cleanText } from '../../lib/clean-text.ts';
import { type CodedError, isCoded } from '../../lib/errors.ts';

/** undici's parser error has no code, so its name is used instead. */
const notHttp = /^HTTPParserError$|^HPE_|^UND_ERR_(?:HEADERS_OVERFLOW|RES_)/;
const certificate =
  /CERT|^ERR_TLS|^ERR_SSL|^EPROTO$|SELF_SIGNED|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^INVALID_(?:CA|PURPOSE)$|^CRL_|^PATH_LENGTH_EXCEEDED$/;

/**
 * Returns a `CodedError` unchanged. Attaches no cause, because that may contain bytes of the request or response. `proxy` is the
 * name of the proxy on the way to the service.
 */
export function networkFailure(error: unknown, proxy?: string): CodedError {
  if (isCoded(error)) return error;
  const code = codeOf(error);
  const detail = detailOf(error, code);
  const through = proxy === undefined ? '' : ` through the proxy ${proxy}`;
  if (certificate.test(code)) {
    const what = `The TLS connection to the service${through} is not trusted`;
    return new AlertsError('tls-failed', sentence(what, code), { detail });
  }
  if (notHttp.test(code)) {
    const facts = { reason: 'ProtocolError', detail };
    return new AlertsError('service-protocol', 'The response is not valid HTTP.', facts);
  }
  return new AlertsError('service-unreachable', sentence(`The service could not be reached${through}`, code), {
    detail,
  });
}

/** The causes that an event names; the detail in the log has the others. */
const causes: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the host name cannot be resolved',
  EAI_AGAIN: 'the host name cannot be resolved at present',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed',
  UND_ERR_CONNECT_TIMEOUT: 'the connection took too long',
  ETIMEDOUT: 'the connection took too long',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the port does not serve TLS',
  HPE_INVALID_CONSTANT: 'the response is not HTTP',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the authority of the certificate is unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the authority of the certificate is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the authority of the certificate is unknown',
};

/** What an event names of a failed connection, and what the log adds. */
export function networkCause(error: unknown): { readonly cause: string | undefined; readonly detail: string } {
  const code = codeOf(error);
  return { cause: causeOfCode(code), detail: detailOf(error, code) };
}

function causeOfCode(code: string): string | undefined {
  return Object.hasOwn(causes, code) ? causes[code] : undefined;
}

function sentence(what: string, code: string): string {
  const cause = causeOfCode(code);
  return cause === undefined ? `${what}.` : `${what}: ${cause}.`;
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
