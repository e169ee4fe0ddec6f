// What holds for every document, every path and every order of requests.
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { alertText, storeAlert } from '../../../src/service/alerts/alert-document.ts';
import { formatSkipToken, parseSkipToken } from '../../../src/service/alerts/skip-token.ts';
import { createAlertsService } from '../../../src/service/create-service.ts';
import { bodyText } from '../../../src/service/http/message.ts';
import { matchRoute, scopeProblem } from '../../../src/service/http/resource-path.ts';
import { apiVersion, listPath, serviceOptions, staticToken } from '../../support/servers/alerts-service.ts';

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
