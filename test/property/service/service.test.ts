// What holds for every document, every path and every order of requests, also by the OpenAPI description.
import { readFile } from 'node:fs/promises';

import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

import { UsageError } from '../../../src/lib/command-errors.ts';
import { alertText, storeAlert } from '../../../src/service/alerts/alert-document.ts';
import { decodeSeed } from '../../../src/service/alerts/seed.ts';
import { formatSkipToken, parseSkipToken } from '../../../src/service/alerts/skip-token.ts';
import { createAlertsService } from '../../../src/service/create-service.ts';
import { bodyText } from '../../../src/service/http/message.ts';
import { matchRoute, nameProblem, scopeProblem } from '../../../src/service/http/resource-path.ts';
import { serviceDefaults } from '../../../src/service/service-options.ts';
import { awkwardText, fuzz, jsonText, mutated } from '../../support/builders/mutate-json.ts';
import { createResponseCheck } from '../../support/checks/openapi-check.ts';
import { openAPIDocument } from '../../support/checks/openapi-document.ts';
import {
  apiVersion,
  type ListBody,
  listPath,
  serviceOptions,
  staticToken,
  withRequestID,
} from '../../support/servers/alerts-service.ts';

const place = { scope: 's', providerNamespace: 'N', nowMs: 0 };
const segment = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' });
const scopes = fc
  .array(segment, { minLength: 1, maxLength: 6 })
  .map((segments) => segments.join('/'))
  .filter((scope) => scopeProblem(scope) === undefined && scope.isWellFormed());

test('an alert comes back with every member it was stored with', () => {
  const members = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true });
  const alerts = fc.record({
    others: members,
    properties: members,
    isActive: fc.boolean(),
    systemData: fc.option(members, { nil: undefined }),
  });
  fc.assert(
    fc.property(alerts, ({ others, properties, isActive, systemData }) => {
      const alert = { ...others, ...(systemData ? { systemData } : {}), properties: { ...properties, isActive } };
      const text = alertText(storeAlert(alert, 'A', place));
      const expected = JSON.parse(JSON.stringify(alert)) as { properties: object };
      const back = JSON.parse(text) as Record<string, unknown> & { properties: object };
      expect({ ...back, ...expected, properties: 0 }).toEqual({ ...back, properties: 0 });
      expect({ ...back.properties, ...expected.properties }).toEqual(back.properties);
    }),
  );
});

test('every scope is found under its path, however much of it is encoded', () => {
  fc.assert(
    fc.property(scopes, fc.boolean(), (scope, hidesSlashes) => {
      const encoded = hidesSlashes ? encodeURIComponent(scope) : scope.split('/').map(encodeURIComponent).join('/');
      expect(matchRoute(`/${encoded}${listPath}`, 'Vendor.Authorization')).toEqual({ name: 'list-alerts', scope });
      expect(matchRoute(`/${encoded}${listPath}/A`, 'Vendor.Authorization')).toEqual({
        name: 'update-alert',
        scope,
        alertName: 'A',
      });
    }),
  );
});

test('a skip token gives its position back to its scope, and no other text gives one', () => {
  fc.assert(
    fc.property(scopes, fc.nat(), fc.string(), (scope, position, text) => {
      const token = formatSkipToken(scope, position);
      expect(parseSkipToken(scope, token)).toBe(position);
      expect(parseSkipToken(scope, text)).toBeUndefined();
      expect(parseSkipToken(`${scope}x`, token)).toBeUndefined();
    }),
  );
});

test('no request makes the service throw or answer an error without an error body', async () => {
  const service = await createAlertsService(serviceOptions({ seed: { scopes: { s: { value: [{ name: 'A' }] } } } }));
  const targets = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string().map((text) => `/${text}${listPath}?${apiVersion}`),
    fc.string().map((text) => `/s${listPath}/A?${apiVersion}${text}`),
    fc.string().map((text) => `/s${listPath}?${apiVersion}&skipToken=${text}`),
  );
  const requests = fc.record({
    method: fc.oneof(fc.constantFrom('GET', 'PATCH', 'POST', 'HEAD'), fc.string()),
    target: targets,
    headers: fc.constant({ authorization: `Bearer ${staticToken}`, 'content-type': 'application/json', host: 'h' }),
    body: fc.oneof(
      fc.uint8Array(),
      fc.json().map((text) => new TextEncoder().encode(text)),
    ),
    scheme: fc.constant('http' as const),
  });
  await fc.assert(
    fc.asyncProperty(requests, async (request) => {
      const { response } = await service.answer(request);
      expect(response.status).not.toBe(500);
      const isError = response.status >= 400 && request.method !== 'HEAD';
      const body = JSON.parse(isError ? bodyText(response) : '{"error":{"code":"","message":""}}') as unknown;
      expect(body).toEqual({ error: { code: expect.any(String), message: expect.any(String) } });
    }),
  );
  await service.close();
});

test('the list shows what the updates left, in whatever order they came', async () => {
  const names = ['A', 'B', 'C'];
  const updates = fc.array(fc.record({ name: fc.constantFrom(...names), isActive: fc.boolean() }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(updates, async (sequence) => {
      const seed = { scopes: { s: { value: names.map((name) => ({ name })) } } };
      const service = await createAlertsService(serviceOptions({ seed }));
      const expected = new Map(names.map((name) => [name, false]));
      for (const { name, isActive } of sequence) {
        const headers = { authorization: `Bearer ${staticToken}`, 'content-type': 'application/json' };
        const body = Buffer.from(JSON.stringify({ properties: { isActive } }));
        const target = `/s${listPath}/${name}?${apiVersion}`;
        const { response } = await service.answer({ method: 'PATCH', target, headers, body, scheme: 'http' });
        expect(response.status).toBe(204);
        expected.set(name, isActive);
      }
      for (const [name, isActive] of expected) {
        expect((await service.alerts.readAlert('s', name))?.['properties']).toMatchObject({ isActive });
      }
      await service.close();
    }),
    { numRuns: 30 },
  );
});

const describedDocument = openAPIDocument();
const problemsOf = createResponseCheck(describedDocument);
const { parameters } = describedDocument.components;

function isSeed(document: unknown): boolean {
  try {
    return [...decodeSeed(document, 'x', { ...serviceDefaults, nowMs: 0 })].length > 0;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

const texts = fc.oneof(
  awkwardText,
  fc.stringMatching(new RegExp(String(parameters['scope']?.schema['pattern']))),
  fc
    .array(fc.constantFrom('a', '.', '/', '..', '\0', '\u001f', ' ', '~', '\u007f', '\u0080', '%', '\u{1f600}'), {
      maxLength: 8,
    })
    .map((all) => all.join('')),
  fc
    .record({ text: fc.constantFrom('a', '\u{1f600}', 'é'), count: fc.integer({ min: 1020, max: 1028 }) })
    .map(({ text, count }) => text.repeat(count)),
);

test.each([
  ['scope', scopeProblem],
  ['alertId', (text: string) => nameProblem(text, 'alert name')],
])('every text is a %s by the description exactly when it is one to the service', (name, problem) => {
  const validate = new Ajv2020().compile(parameters[name]?.schema ?? false);
  fc.assert(
    fc.property(
      texts.filter((text) => text.isWellFormed()),
      (text) => {
        expect(validate(text)).toBe(problem(text) === undefined);
      },
    ),
    fuzz(1000),
  );
});

test('every alert that a seed may hold is listed as described', async () => {
  const file = new URL('../../fixtures/service/four-kinds.yaml', import.meta.url);
  const { scopes } = parse(await readFile(file, 'utf8')) as { scopes: Record<string, ListBody> };
  const kinds = Object.values(scopes).flatMap(({ value }) => value);
  const service = await createAlertsService(serviceOptions());
  const target = `/s${listPath}?${apiVersion}`;
  const headers = { host: 'service.test', authorization: `Bearer ${staticToken}` };
  const alerts = fc
    .constantFrom(...kinds)
    .chain(mutated)
    .map(jsonText);
  await fc.assert(
    fc.asyncProperty(alerts, async (text) => {
      const alert = { ...(JSON.parse(text || 'null') as object), name: 'A' };
      fc.pre(isSeed({ scopes: { s: { value: [alert] } } }));
      await service.alerts.putAlert('s', alert);
      const request = { method: 'GET', target, headers, body: new Uint8Array(), scheme: 'http' } as const;
      const { response } = await service.answer(request);
      expect(problemsOf({ method: 'GET', target, ...withRequestID(response), body: bodyText(response) })).toEqual([]);
    }),
    fuzz(300),
  );
  await service.close();
});
