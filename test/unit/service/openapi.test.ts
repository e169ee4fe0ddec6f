// The OpenAPI description by itself: valid, complete, and consistent with the seed's rules.
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';

import { serviceErrors } from '../../../src/service/http/service-errors.ts';
import { codesOf, openAPIDocument, resolved } from '../../support/checks/openapi-document.ts';

const document = openAPIDocument({
  serverURL: 'https://alerts.example.net',
  authURL: 'https://login.example.net',
  providerNamespace: 'Contoso.Authorization',
});
const { securitySchemes: _, ...referenced } = document.components;
const { schemas } = referenced;
const operations = Object.values(document.paths).flatMap((item) => Object.values(item));

describe('the OpenAPI description', () => {
  test('is valid by the official meta-schema of OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document) as unknown as Record<string, unknown>);
    expect(result).toEqual({ valid: true });
  });

  test('has schemas that are valid JSON Schema, with nothing misspelt in them', () => {
    const keywords = ['components', 'discriminator', 'example'];
    const ajv = new Ajv2020({ allowUnionTypes: true, keywords, validateFormats: false });
    const anyOf = Object.keys(schemas).map((name) => ({ $ref: `#/components/schemas/${name}` }));
    expect(() => ajv.compile({ anyOf, components: { schemas } })).not.toThrow();
  });

  test('has every error code with its status, and default, all with the error body', () => {
    const errors = operations.flatMap(({ responses }) =>
      Object.entries(responses)
        .filter(([status]) => !/^[23]/.test(status))
        .map(([status, each]) => ({ status, response: resolved(document, 'responses', each) })),
    );
    const bodies = errors.map(({ response }) => response.content?.['application/json'].schema['$ref']);
    expect(new Set(bodies)).toEqual(new Set(['#/components/schemas/ErrorBody']));
    const named = errors.flatMap(({ status, response }) =>
      status === 'default' ? [status] : codesOf(response).map((code) => `${status} ${code}`),
    );
    // No path of the description has it.
    const codes = Object.entries(serviceErrors).filter(([code]) => code !== 'RouteNotFound');
    expect(new Set(named)).toEqual(new Set([...codes.map(([code, status]) => `${status} ${code}`), 'default']));
  });

  test('has no dangling reference, and no unreferenced component', () => {
    const refs = new Set(
      JSON.stringify(document)
        .matchAll(/"#\/components\/([^"]+)"/g)
        .map(([, path]) => path),
    );
    const components = Object.entries(referenced).flatMap(([kind, all]) =>
      Object.keys(all).map((name) => `${kind}/${name}`),
    );
    expect(refs).toEqual(new Set(components));
  });

  test('needs a token of user_impersonation for an update, and takes a read-only one for a list', () => {
    expect(operations.map(({ security }) => security)).toEqual([
      [{ cloud_auth: ['user_impersonation'] }, { cloud_auth: ['alerts.read'] }, { bearer_token: [] }],
      [{ cloud_auth: ['user_impersonation'] }, { bearer_token: [] }],
    ]);
    expect(document.components.securitySchemes['cloud_auth']).toMatchObject({
      flows: { implicit: { authorizationUrl: 'https://login.example.net/common/oauth2/authorize' } },
    });
  });
});
