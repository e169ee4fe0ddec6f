// Detects generated types that are older than the OpenAPI description: a hash of everything in it that becomes a type.
import { createHash } from 'node:crypto';

import { openAPIDocument, type OpenAPIDocument } from './openapi-document.ts';

/** The description of a service with the defaults. */
export const describedDocument = openAPIDocument();

/** The same for documents that differ only in their prose. */
export function fingerprintOf(document: OpenAPIDocument): string {
  const text = JSON.stringify(document, (key, value: unknown) => (isProse(key, value) ? undefined : value));
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function isProse(key: string, value: unknown): boolean {
  return key === 'links' || (/^(description|summary|example|url|\w+Url)$/.test(key) && typeof value === 'string');
}
