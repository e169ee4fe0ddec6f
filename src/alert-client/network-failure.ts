// What a request that got no answer means: nobody there, a certificate that cannot be trusted, or something that does
// not speak HTTP. Decided by the codes of Node, OpenSSL and undici; their messages go into the detail only.
import { cleanText } from '../lib/clean-text.ts';
import { CodedError, isCodedError } from '../lib/errors.ts';

/** undici's parser error has no code of its own, so its name stands in. */
const notHttp = /^HTTPParserError$|^HPE_|^UND_ERR_(?:HEADERS_OVERFLOW|RES_)/;
const certificate =
  /CERT|^ERR_TLS|^ERR_SSL|^EPROTO$|SELF_SIGNED|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^INVALID_(?:CA|PURPOSE)$|^CRL_|^PATH_LENGTH_EXCEEDED$/;

/** Passes a `CodedError` on. The cause is left out on purpose: it may hold bytes of the conversation. */
export function networkFailure(error: unknown): CodedError {
  if (isCodedError(error)) return error;
  const code = codeOf(error);
  const detail = detailOf(error, code);
  if (certificate.test(code))
    return new CodedError('tls-failed', 'The TLS connection could not be trusted.', { detail });
  if (notHttp.test(code)) {
    const facts = { reason: 'ProtocolError', detail };
    return new CodedError('service-protocol', 'What answered does not speak HTTP as it should.', facts);
  }
  return new CodedError('service-unreachable', 'The service could not be reached.', { detail });
}

/** The code, or the name; of several addresses that all failed the first one counts. */
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
