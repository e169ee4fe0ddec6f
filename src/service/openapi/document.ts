// The OpenAPI 3.1 description of the two operations of section 4. It follows the contract and describes every response of this
// service. It omits the token endpoint and related endpoints, which OAuth and its metadata describe.
import { jsonResponse, type ServiceResponse } from '../http/message.ts';
import type { ServiceErrorCode } from '../http/service-errors.ts';
import type { Header, OpenAPIDocument, Operation, PathItem } from './document-types.ts';
import { errorResponses } from './error-responses.ts';
import { openAPIParameters, type ParameterName } from './parameters.ts';
import { openAPISchemas } from './schemas.ts';
import { ref } from './vocabulary.ts';

export interface DescribedService {
  /** The base URL of section 4, without a trailing slash. */
  readonly serverURL: string;
  /** `{auth_url}` of section 5, without a trailing slash. */
  readonly authURL: string;
  readonly providerNamespace: string;
  readonly apiVersion: string;
}

/** The response with the document. */
export function describedAs(service: DescribedService): ServiceResponse {
  return jsonResponse(200, JSON.stringify(openAPIDocument(service)));
}

const tag = 'RoleManagementAlerts';

const neverOfList: ReadonlySet<ServiceErrorCode> = new Set([
  'RouteNotFound',
  'AlertNotFound',
  'MalformedJson',
  'InvalidBody',
  'UnsupportedMediaType',
]);

const neverOfUpdate: ReadonlySet<ServiceErrorCode> = new Set(['RouteNotFound', 'InvalidSkipToken']);

export function openAPIDocument(service: DescribedService): OpenAPIDocument {
  const { serverURL, providerNamespace, apiVersion } = service;
  return {
    openapi: '3.1.1',
    info: {
      title: 'Role management alerts',
      version: apiVersion,
      description:
        'Security alerts about role assignments on a resource scope: list the alerts of a scope, and change the active flag of one alert. Section numbers refer to the service contract.',
    },
    servers: [{ url: serverURL }],
    tags: [{ name: tag, description: 'Alerts, each with its configuration, definition and incidents.' }],
    paths: paths(`/{scope}/providers/${providerNamespace}/roleManagementAlerts`),
    components: {
      parameters: openAPIParameters(apiVersion),
      schemas: openAPISchemas(providerNamespace),
      securitySchemes: { cloud_auth: cloudAuth(service), bearer_token: bearerToken },
    },
  };
}

function paths(collection: string): Record<string, PathItem> {
  return { [collection]: { get: listAlerts }, [`${collection}/{alertId}`]: { patch: updateAlert } };
}

const requestID: Header = {
  required: true,
  description: 'The id of the request: the x-request-id that it brought, or a new one. Name it in reports of problems.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9._~:/+=@-]{1,128}$' },
};

function withRequestID(responses: Operation['responses']): Operation['responses'] {
  const described = Object.entries(responses).map(([status, response]) => {
    return [status, { ...response, headers: { ...response.headers, 'X-Request-Id': requestID } }] as const;
  });
  return Object.fromEntries(described);
}

const listTag: Header = {
  required: true,
  description: 'The tag of the bytes of this page, for If-None-Match.',
  schema: { type: 'string', pattern: '^"[^"]+"$' },
};

const listAlerts: Operation = {
  operationId: 'listAlerts',
  tags: [tag],
  summary: 'List the alerts of a scope',
  description: 'Read-only. Long lists are split into pages linked by nextLink (section 4.1).',
  parameters: parameters('scope', 'apiVersion', 'skipToken'),
  responses: withRequestID({
    200: {
      description: 'One page of the alerts of the scope, in a stable order.',
      headers: { ETag: listTag },
      content: { 'application/json': { schema: ref('AlertListResult') } },
      links: {
        updateFirstAlert: {
          operationId: 'updateAlert',
          parameters: { scope: '$request.path.scope', alertId: '$response.body#/value/0/name' },
          description: 'The name of an alert in the list is the alertId of an update.',
        },
      },
    },
    304: {
      description: 'The page is the one that If-None-Match names. No body.',
      headers: { ETag: listTag },
    },
    ...errorResponses(neverOfList),
  }),
  security: [{ cloud_auth: ['user_impersonation'] }, { cloud_auth: ['alerts.read'] }, { bearer_token: [] }],
};

const updateAlert: Operation = {
  operationId: 'updateAlert',
  tags: [tag],
  summary: 'Update the active flag of one alert',
  description: 'Changes only isActive (section 4.2). Idempotent.',
  parameters: parameters('scope', 'alertId', 'apiVersion'),
  requestBody: {
    required: true,
    description: 'JSON in UTF-8, uncompressed, up to 16 KiB.',
    content: { 'application/json': { schema: ref('AlertUpdate') } },
  },
  responses: withRequestID({
    204: { description: 'The flag has the requested value and is on disk. No body.' },
    ...errorResponses(neverOfUpdate),
  }),
  security: [{ cloud_auth: ['user_impersonation'] }, { bearer_token: [] }],
};

function parameters(...names: readonly ParameterName[]) {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** For tools without OAuth support, and for the static token, which no flow issues. */
const bearerToken = {
  type: 'http',
  scheme: 'bearer',
  description: 'An existing token of cloud_auth, or the static token of the service.',
};

/** Section 5, the code flow, and the flow for programs (README.md, *Choices*). Requests send the token as `Authorization: Bearer`. */
function cloudAuth({ authURL }: DescribedService) {
  const scopes = {
    user_impersonation: "Impersonate the user's account.",
    'alerts.read': 'List alerts without changing them.',
  };
  return {
    type: 'oauth2',
    description: 'Send the access token as a bearer token in the Authorization header (RFC 6750).',
    flows: {
      implicit: { authorizationUrl: `${authURL}/common/oauth2/authorize`, scopes },
      authorizationCode: {
        authorizationUrl: `${authURL}/common/oauth2/authorize`,
        tokenUrl: `${authURL}/common/oauth2/token`,
        refreshUrl: `${authURL}/common/oauth2/token`,
        scopes,
      },
      clientCredentials: { tokenUrl: `${authURL}/common/oauth2/token`, scopes },
    },
  };
}
