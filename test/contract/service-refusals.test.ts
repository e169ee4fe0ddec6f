// Rejected requests (sections 2.8, 4, 5, 7 and 9): paths, versions, methods, callers.
import { describe, expect, test } from 'vitest';

import { describeService, alertA, json, listOne, turnOff } from '../support/servers/alerts-service-cases.ts';
import { apiVersion, errorOf, listPath, staticToken } from '../support/servers/alerts-service.ts';

describeService((started) => {
  describe('refuses', () => {
    test.each([
      ['an unknown scope', 'GET', `/subscriptions/none${listPath}?${apiVersion}`, 404, 'ScopeNotFound'],
      ['an unknown scope of an alert', 'PATCH', `/subscriptions/none${listPath}/A?${apiVersion}`, 404, 'ScopeNotFound'],
      ['an unknown alert', 'PATCH', `/subscriptions/one${listPath}/None?${apiVersion}`, 404, 'AlertNotFound'],
      ['an unknown path', 'GET', '/', 404, 'RouteNotFound'],
      ['a path with a slash at its end', 'GET', `/subscriptions/one${listPath}/x/?${apiVersion}`, 404, 'RouteNotFound'],
      [
        'an incident of an alert',
        'GET',
        `/subscriptions/one${listPath}/A/alertIncidents?${apiVersion}`,
        404,
        'RouteNotFound',
      ],
      [
        'another namespace',
        'GET',
        `/subscriptions/one/providers/Other/roleManagementAlerts?${apiVersion}`,
        404,
        'RouteNotFound',
      ],
      ['no scope', 'GET', `${listPath}?${apiVersion}`, 400, 'InvalidPath'],
      ['a scope with a leading slash', 'GET', `//subscriptions/one${listPath}?${apiVersion}`, 400, 'InvalidPath'],
      ['a scope with dots', 'GET', `/subscriptions/../one${listPath}?${apiVersion}`, 400, 'InvalidPath'],
      ['a scope with encoded dots', 'GET', `/subscriptions/%2e%2E/one${listPath}?${apiVersion}`, 400, 'InvalidPath'],
      ['a scope with a control character', 'GET', `/subscriptions/%00${listPath}?${apiVersion}`, 400, 'InvalidPath'],
      ['a scope that is not encoded well', 'GET', `/subscriptions/%zz${listPath}?${apiVersion}`, 400, 'InvalidPath'],
      ['a scope that is too long', 'GET', `/${'s'.repeat(1025)}${listPath}?${apiVersion}`, 400, 'InvalidPath'],
      ['no alert name', 'PATCH', `/subscriptions/one${listPath}/?${apiVersion}`, 400, 'InvalidPath'],
      ['an alert name with a slash', 'PATCH', `/subscriptions/one${listPath}/A%2FB?${apiVersion}`, 400, 'InvalidPath'],
      ['no api-version', 'GET', `/subscriptions/one${listPath}`, 400, 'MissingApiVersion'],
      ['an empty api-version', 'GET', `/subscriptions/one${listPath}?api-version=`, 400, 'MissingApiVersion'],
      [
        'another api-version',
        'GET',
        `/subscriptions/one${listPath}?api-version=2020-01-01`,
        400,
        'UnsupportedApiVersion',
      ],
      ['two api-versions', 'GET', `${listOne}&${apiVersion}`, 400, 'InvalidQuery'],
      ['an update without api-version', 'PATCH', `/subscriptions/one${listPath}/A`, 400, 'MissingApiVersion'],
    ])('%s', async (_, method, target, status, code) => {
      const service = await started();
      expect(errorOf(await service.send({ ...turnOff, method, target }))).toBe(`${status} ${code}`);
    });

    test.each([
      ['POST', listOne, 'GET, HEAD, OPTIONS'],
      ['PATCH', listOne, 'GET, HEAD, OPTIONS'],
      ['GET', alertA, 'PATCH, OPTIONS'],
      ['PUT', alertA, 'PATCH, OPTIONS'],
      ['DELETE', alertA, 'PATCH, OPTIONS'],
      ['GET', '/common/oauth2/token', 'POST, OPTIONS'],
    ])('%s of %s, and says what it allows', async (method, target, allow) => {
      const service = await started();
      const received = await service.send({ method, target });
      expect(errorOf(received)).toBe('405 MethodNotAllowed');
      expect(received.headers['allow']).toBe(allow);
    });

    test.each([
      ['/common/oauth2/authorize', 'GET, HEAD, POST, OPTIONS'],
      ['/common/oauth2/token', 'POST, OPTIONS'],
      ['/common/oauth2/keys', 'GET, HEAD, OPTIONS'],
      ['/.well-known/oauth-authorization-server', 'GET, HEAD, OPTIONS'],
      ['/openapi.json', 'GET, HEAD, OPTIONS'],
      [listOne, 'GET, HEAD, OPTIONS'],
      [alertA, 'PATCH, OPTIONS'],
    ])('nothing of OPTIONS %s, and lists its methods', async (target, allow) => {
      const received = await (await started()).send({ method: 'OPTIONS', target });
      expect([received.status, received.headers['allow']]).toEqual([204, allow]);
    });

    test.each([
      ['no token', '', 'AuthenticationRequired', 'Bearer realm="rolealerts"'],
      ['another scheme', 'Basic b3BlcmF0b3I6eA==', 'AuthenticationRequired', 'Bearer realm="rolealerts"'],
      ['an unknown token', 'Bearer unknown', 'InvalidToken', 'Bearer realm="rolealerts", error="invalid_token"'],
      ['an empty token', 'Bearer ', 'AuthenticationRequired', 'Bearer realm="rolealerts"'],
      [
        'part of the token',
        `Bearer ${staticToken.slice(0, -1)}`,
        'InvalidToken',
        'Bearer realm="rolealerts", error="invalid_token"',
      ],
    ])('%s', async (_, authorization, code, challenge) => {
      const service = await started();
      for (const sent of [{ target: listOne }, turnOff]) {
        const received = await service.send({ ...sent, headers: { ...json, authorization } });
        expect(errorOf(received)).toBe(`401 ${code}`);
        expect(received.headers['www-authenticate']).toBe(challenge);
      }
      expect((await service.alerts.readAlert('subscriptions/one', 'A'))?.['properties']).toMatchObject({
        isActive: true,
      });
    });

    test('an unknown token before it says whether the scope exists', async () => {
      const service = await started();
      const target = `/subscriptions/none${listPath}?${apiVersion}`;
      expect(errorOf(await service.send({ target, headers: { authorization: 'Bearer x' } }))).toBe('401 InvalidToken');
    });

    test('a token in the query', async () => {
      const service = await started();
      const target = `${listOne}&access_token=${staticToken}`;
      expect(errorOf(await service.send({ target, headers: { authorization: '' } }))).toBe(
        '401 AuthenticationRequired',
      );
    });
  });

  test('OPTIONS lists the allowed methods without a credential', async () => {
    const service = await started();
    const received = await service.send({ method: 'OPTIONS', target: alertA, headers: { authorization: '' } });
    expect([received.status, received.headers['allow'], received.text]).toEqual([204, 'PATCH, OPTIONS', '']);
  });

  test('the scheme of the bearer token may be written in any case', async () => {
    const service = await started();
    const received = await service.send({ target: listOne, headers: { authorization: `bEARER ${staticToken}` } });
    expect(received.status).toBe(200);
  });
});
