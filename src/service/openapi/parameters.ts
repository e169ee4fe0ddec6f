// The parameters of section 4, and `skipToken`, which is ours. Their schemas say no less than what resource-path.ts takes,
// so that a client that holds to them is never told that its path is wrong.
import type { Parameter } from './document-types.ts';

/** Not a control character, not a slash; a segment is neither empty nor `.` nor `..`. Without look-aheads, which few generators can follow. */
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
        'Fully qualified resource identifier of the resource, without a leading slash. Its slashes may be sent as %2F, as clients do that encode path parameters, or as they are. Compared without regard to case.',
      schema: { type: 'string', minLength: 1, maxLength: 1024, pattern: `^${segment}(?:/${segment})*$` },
      example: 'subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590',
    },
    alertId: {
      name: 'alertId',
      in: 'path',
      required: true,
      description:
        'Name of the alert, as the list shows it (the alert name, not its resource id). Compared without regard to case.',
      schema: { type: 'string', minLength: 1, maxLength: 1024, pattern: `^${segment}$` },
      example: 'TooManyPermanentOwnersAssignedToResource',
    },
    apiVersion: {
      name: 'api-version',
      in: 'query',
      required: true,
      description: 'API version (section 9). Must stand once; compared exactly.',
      schema: { type: 'string', minLength: 1, const: apiVersion },
    },
    skipToken: {
      name: 'skipToken',
      in: 'query',
      required: false,
      description:
        'Where a page begins: opaque, taken from the nextLink of this scope, which holds all that is needed to follow it. The specification shows no paging parameters; this one is of this service.',
      schema: { type: 'string', minLength: 1, pattern: '^[A-Za-z0-9_-]+$' },
    },
  } as const satisfies Record<string, Parameter>;
}

export type ParameterName = keyof ReturnType<typeof openAPIParameters>;
