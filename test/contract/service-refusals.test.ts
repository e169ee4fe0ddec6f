// Rejected requests (sections 2.8, 4, 7 and 9) beside those of the conformance tests: paths, versions, methods.
import { expect, test } from 'vitest';

import { alertA, listOne, sharedService, turnOff } from '../support/servers/alerts-service-cases.ts';
import { apiVersion, errorOf, listPath } from '../support/servers/alerts-service.ts';

const started = sharedService();
const list = (scope: string, query = apiVersion) => `/${scope}${listPath}?${query}`;

test.each([
  ['an unknown scope of an alert', 'PATCH', alertA.replace('one', 'none'), '404 ScopeNotFound'],
  ['a path with a slash at its end', 'GET', listOne.replace('?', '/x/?'), '404 RouteNotFound'],
  ['an incident of an alert', 'GET', alertA.replace('?', '/alertIncidents?'), '404 RouteNotFound'],
  ['another namespace', 'GET', listOne.replace('Vendor.Authorization', 'Other'), '404 RouteNotFound'],
  ['a scope with a leading slash', 'GET', list('/subscriptions/one'), '400 InvalidPath'],
  ['a scope with dots', 'GET', list('subscriptions/../one'), '400 InvalidPath'],
  ['a scope with encoded dots', 'GET', list('subscriptions/%2e%2E/one'), '400 InvalidPath'],
  ['a scope with a control character', 'GET', list('subscriptions/%00'), '400 InvalidPath'],
  ['a scope that is not encoded well', 'GET', list('subscriptions/%zz'), '400 InvalidPath'],
  ['a scope that is too long', 'GET', list('s'.repeat(1025)), '400 InvalidPath'],
  ['no alert name', 'PATCH', listOne.replace('?', '/?'), '400 InvalidPath'],
  ['two api-versions', 'GET', `${listOne}&${apiVersion}`, '400 InvalidQuery'],
  ['an old api-version', 'GET', list('subscriptions/one', 'api-version=2020-01-01'), '400 UnsupportedApiVersion'],
])('refuses %s', async (_, method, target, expected) => {
  expect(errorOf(await (await started()).send({ ...turnOff, method, target }))).toBe(expected);
});

test.each([
  ['/common/oauth2/authorize', 'GET, HEAD, POST, OPTIONS', 'PUT'],
  ['/common/oauth2/token', 'POST, OPTIONS', 'GET'],
  ['/common/oauth2/keys', 'GET, HEAD, OPTIONS', 'POST'],
  ['/.well-known/oauth-authorization-server', 'GET, HEAD, OPTIONS', 'POST'],
  ['/openapi.json', 'GET, HEAD, OPTIONS', 'POST'],
  [listOne, 'GET, HEAD, OPTIONS', 'PATCH'],
  [alertA, 'PATCH, OPTIONS', 'GET'],
])('lists the methods of %s to OPTIONS without a credential, and refuses another one', async (target, allow, other) => {
  const service = await started();
  const { status, text, headers } = await service.send({ method: 'OPTIONS', target, headers: { authorization: '' } });
  expect([status, text, headers['allow']]).toEqual([204, '', allow]);
  const refused = await service.send({ method: other, target });
  expect([errorOf(refused), refused.headers['allow']]).toEqual(['405 MethodNotAllowed', allow]);
});
