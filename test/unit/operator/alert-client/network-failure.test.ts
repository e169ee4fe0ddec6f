// The message of a request without a response: one sentence that names the cause, without any text of the other side.
import { expect, it } from 'vitest';

import { networkFailure } from '../../../../src/operator/alert-client/http-call.ts';

const withCode = (code: string) => Object.assign(new Error(`${code} in the words of Node`), { code });

it.each([
  ['ENOTFOUND', 'The service could not be reached: the host name cannot be resolved.'],
  ['ECONNREFUSED', 'The service could not be reached: the connection was refused.'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'The TLS connection to the service is not trusted: the port does not serve TLS.'],
  ['CERT_HAS_EXPIRED', 'The TLS connection to the service is not trusted: the certificate has expired.'],
  ['CERT_OF_ANOTHER_KIND', 'The TLS connection to the service is not trusted.'],
  ['toString', 'The service could not be reached.'],
])('the message for %s is: %s', (code, message) => {
  expect(networkFailure(withCode(code))).toMatchObject({ message, detail: `${code} in the words of Node` });
});
