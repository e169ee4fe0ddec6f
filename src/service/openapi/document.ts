// The OpenAPI 3.1 description of the two operations of section 4, written from the specification and made true to what
// this service answers. The token endpoint and its neighbours are not in it: OAuth describes those, and its metadata does.
import { jsonResponse, type ServiceResponse } from '../http/message.ts';
import type { ServiceErrorCode } from '../http/service-errors.ts';
import type { OpenAPIDocument, Operation, PathItem } from './document-types.ts';
import { errorResponses } from './error-responses.ts';
import { openAPIParameters, type ParameterName } from './parameters.ts';
import { openAPISchemas } from './schemas.ts';
import { ref } from './vocabulary.ts';

export interface DescribedService {
  /** The base address of section 4, without a slash at the end. */
  readonly serverURL: string;
  /** `{auth_url}` of section 5, without a slash at the end. */
  readonly authURL: string;
  readonly providerNamespace: string;
  readonly apiVersion: string;
}

/** The document as it is served. */
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
        'Security alerts about role assignments on a resource scope: list the alerts of a scope, and change the active flag of one alert. Sections are those of the service specification.',
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

const listAlerts: Operation = {
  operationId: 'listAlerts',
  tags: [tag],
  summary: 'List the alerts of a scope',
  description: 'Read-only. A long list comes in pages that nextLink joins (section 4.1).',
  parameters: parameters('scope', 'apiVersion', 'skipToken'),
  responses: {
    200: {
      description: 'One page of the alerts of the scope, always in the same order.',
      content: { 'application/json': { schema: ref('AlertListResult') } },
      links: {
        updateFirstAlert: {
          operationId: 'updateAlert',
          parameters: { scope: '$request.path.scope', alertId: '$response.body#/value/0/name' },
          description: 'The name of an alert in the list is the alertId of an update.',
        },
      },
    },
    ...errorResponses(neverOfList),
  },
  security: [{ cloud_auth: ['user_impersonation'] }, { cloud_auth: ['alerts.read'] }, { bearer_token: [] }],
};

const updateAlert: Operation = {
  operationId: 'updateAlert',
  tags: [tag],
  summary: 'Update the active flag of one alert',
  description: 'Changes isActive and nothing else (section 4.2). Repetition is harmless.',
  parameters: parameters('scope', 'alertId', 'apiVersion'),
  requestBody: {
    required: true,
    description: 'JSON in UTF-8, not compressed, up to 16 KiB.',
    content: { 'application/json': { schema: ref('AlertUpdate') } },
  },
  responses: {
    204: { description: 'The alert has this flag now, and it is on disk. No body.' },
    ...errorResponses(neverOfUpdate),
  },
  security: [{ cloud_auth: ['user_impersonation'] }, { bearer_token: [] }],
};

function parameters(...names: readonly ParameterName[]) {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** For tools that know nothing of OAuth, and for the static token, which no flow gives. */
const bearerToken = {
  type: 'http',
  scheme: 'bearer',
  description: 'A token of cloud_auth that the caller has already, or the static token of the service.',
};

/** Section 5, and the flow for programs that README.md adds to it. The token travels as `Authorization: Bearer`. */
function cloudAuth({ authURL }: DescribedService) {
  const scopes = {
    user_impersonation: "Impersonate the user's account.",
    'alerts.read': 'List alerts, and change nothing.',
  };
  return {
    type: 'oauth2',
    description: 'The access token is sent as a bearer token in the Authorization header (RFC 6750).',
    flows: {
      implicit: { authorizationUrl: `${authURL}/common/oauth2/authorize`, scopes },
      clientCredentials: { tokenUrl: `${authURL}/common/oauth2/token`, scopes },
    },
  };
}
