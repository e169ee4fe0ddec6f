// The body of a request to the admin port: a document in JSON or YAML.
import { UsageError } from '../../lib/command-errors.ts';
import { messageOf } from '../../lib/errors.ts';
import { parseDocument } from '../config-files/read.ts';
import {
  mediaTypeOf,
  requestBodyLimitBytes,
  textOf,
  type ServiceRequest,
  type ServiceResponse,
} from '../http/message.ts';
import { adminError } from './admin-error.ts';

/** Media types that a web page can only send after a CORS preflight, which this port never grants. */
const documentTypes: ReadonlySet<string | undefined> = new Set([
  'application/json',
  'application/yaml',
  'application/x-yaml',
]);

interface DocumentKind {
  /** Its name in messages. */
  readonly what: string;
  readonly limitBytes?: number;
}

export function readDocumentOf(
  request: ServiceRequest,
  { what, limitBytes = requestBodyLimitBytes }: DocumentKind,
): { readonly value: unknown; readonly text: string } | { readonly refusal: ServiceResponse } {
  if (request.body.length > limitBytes) {
    return { refusal: adminError('BodyTooLarge', `The body is larger than ${limitBytes} bytes.`) };
  }
  if (!documentTypes.has(mediaTypeOf(request))) {
    return { refusal: adminError('UnsupportedMediaType', 'Send application/json or application/yaml in UTF-8.') };
  }
  const text = textOf(request.body);
  if (text === undefined) return { refusal: adminError('MalformedDocument', 'The body is not UTF-8.') };
  try {
    return { value: parseDocument(what, text, 'in the body'), text };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { refusal: adminError('MalformedDocument', messageOf(error)) };
  }
}
