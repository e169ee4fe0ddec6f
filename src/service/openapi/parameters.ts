// The parameters of section 4, and `skipToken`, an addition of this service. The schemas allow only paths that resource-path.ts
// accepts, so that a client that follows them never gets an InvalidPath error.
import type { Parameter } from './document-types.ts';

/** No control character and no slash; a segment is not empty, `.` or `..`. Uses no lookahead assertions, which few generators support. */
const any = '[^/\\u0000-\\u001f\\u007f]';
const notDot = '[^./\\u0000-\\u001f\\u007f]';
const segment = `(?:${notDot}${any}*|\\.${notDot}${any}*|\\.\\.${any}+)`;

export function openAPIParameters(apiVersion: string) {
  return {
    scope: {
      name: 'scope',
      in: 'path',
      required: true,
      description:
        'Fully qualified resource identifier, without a leading slash. Its slashes may be sent as they are or encoded as %2F. Case-insensitive.',
      schema: { type: 'string', minLength: 1, maxLength: 1024, pattern: `^${segment}(?:/${segment})*$` },
      example: 'subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590',
    },
    alertId: {
      name: 'alertId',
      in: 'path',
      required: true,
      description: 'Name of the alert as in the list (the alert name, not its resource id). Case-insensitive.',
      schema: { type: 'string', minLength: 1, maxLength: 1024, pattern: `^${segment}$` },
      example: 'TooManyPermanentOwnersAssignedToResource',
    },
    apiVersion: {
      name: 'api-version',
      in: 'query',
      required: true,
      description: 'API version (section 9). Must occur once and match exactly.',
      schema: { type: 'string', minLength: 1, const: apiVersion },
    },
    skipToken: {
      name: 'skipToken',
      in: 'query',
      required: false,
      description:
        'Opaque start of a page, part of a nextLink of this scope. Follow nextLink unchanged. The contract leaves paging parameters undefined; this one is specific to this service.',
      schema: { type: 'string', minLength: 1, pattern: '^[A-Za-z0-9_-]+$' },
    },
  } as const satisfies Record<string, Parameter>;
}

export type ParameterName = keyof ReturnType<typeof openAPIParameters>;
