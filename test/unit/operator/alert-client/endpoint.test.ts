import { describe, expect, test } from 'vitest';

import { CodedError } from '../../../../src/lib/errors.ts';
import {
  alertPath,
  listPath,
  parseEndpoint,
  parseOutboundUrl,
  versionQuery,
} from '../../../../src/operator/alert-client/endpoint.ts';

const rest = { providerNamespace: 'Vendor.Authorization', apiVersion: '2022-08-01-preview' };
const endpoint = parseEndpoint({ baseURL: 'https://h.example', ...rest }, { allowHttp: false, allowedHosts: [] });

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return error instanceof CodedError ? error.code : 'other';
  }
  return 'none';
}

describe('a base URL', () => {
  test.each([
    { baseURL: 'https://h.example', origin: 'https://h.example', pathPrefix: '' },
    { baseURL: 'https://h.example:443/', origin: 'https://h.example', pathPrefix: '' },
    { baseURL: 'https://H.example:8443/a/b//', origin: 'https://h.example:8443', pathPrefix: '/a/b' },
    { baseURL: 'https://[2001:DB8::1]/x', origin: 'https://[2001:db8::1]', pathPrefix: '/x' },
  ])('of $baseURL is $origin and $pathPrefix', ({ baseURL, origin, pathPrefix }) => {
    expect(parseEndpoint({ baseURL, ...rest }, { allowHttp: false, allowedHosts: [] })).toEqual({
      origin,
      pathPrefix,
      ...rest,
    });
  });

  test.each([
    '',
    'h.example',
    '/x',
    'ftp://h.example',
    'http://h.example',
    'https://user@h.example',
    'https://:pass@h.example',
    'https://h.example/?x=1',
    'https://h.example/?',
    'https://h.example/#x',
    'https://h.example/#',
  ])('of %j is refused', (baseURL) => {
    expect(codeOf(() => parseEndpoint({ baseURL, ...rest }, { allowHttp: false, allowedHosts: [] }))).toBe(
      'endpoint-invalid',
    );
  });

  test('may be plain HTTP only when that is allowed', () => {
    expect(parseEndpoint({ baseURL: 'http://h.example', ...rest }, { allowHttp: true, allowedHosts: [] }).origin).toBe(
      'http://h.example',
    );
    expect(
      codeOf(() => parseEndpoint({ baseURL: 'gopher://h.example', ...rest }, { allowHttp: true, allowedHosts: [] })),
    ).toBe('endpoint-invalid');
  });
});

describe('the hosts that the operator allows', () => {
  const reasonOf = (baseURL: string, allowedHosts: readonly string[]) => {
    try {
      parseEndpoint({ baseURL, ...rest }, { allowHttp: true, allowedHosts });
    } catch (error) {
      return error instanceof CodedError ? `${error.code} ${error.reason ?? ''}` : 'other';
    }
    return 'allowed';
  };

  test('are those of lib/host-pattern.ts, whatever the port and the path', () => {
    expect(reasonOf('https://h.example:8443/x', ['other.example', 'h.example'])).toBe('allowed');
    expect(reasonOf('https://h.example.evil.example', ['h.example'])).toBe('endpoint-invalid HostNotAllowed');
  });

  test('name the host and the option in the error, and not the path', () => {
    const parse = () =>
      parseOutboundUrl('https://evil.example/secret?key=1', 'token URL', {
        allowHttp: false,
        allowedHosts: ['h.example'],
      });
    expect(parse).toThrow(
      /^The operator's option --allowed-hosts does not include evil\.example, the host of the token URL\.$/,
    );
  });

  test('do not excuse another mistake in the URL', () => {
    expect(reasonOf('https://user@evil.example', ['h.example'])).toBe('endpoint-invalid ');
  });
});

describe('a path', () => {
  test.each([
    { scope: 'subscriptions/s1', path: '/subscriptions/s1' },
    { scope: 'a b/~x/(y)/_z', path: '/a%20b/~x/(y)/_z' },
    { scope: 'a?b/c#d/e%2f', path: '/a%3Fb/c%23d/e%252f' },
    { scope: '.hidden/a..b', path: '/.hidden/a..b' },
    { scope: 'S/0b1f/a(1)~_-.b', path: '/S/0b1f/a(1)~_-.b' },
  ])('of the scope $scope starts with $path', ({ scope, path }) => {
    expect(listPath(endpoint, scope)).toBe(`${path}/providers/Vendor.Authorization/roleManagementAlerts`);
  });

  test.each(['', '/a', 'a/', 'a//b', '.', 'a/../b', 'a/..', 'a\\b', 'a\nb', 'a\n', '\ud800'])(
    'does not exist for the scope %j',
    (scope) => {
      expect(codeOf(() => listPath(endpoint, scope))).toBe('service-rejected');
    },
  );

  test.each(['', '.', '..', 'a/b', 'a\u0000'])('does not exist for the alert %j', (name) => {
    expect(codeOf(() => alertPath(endpoint, 's', name))).toBe('alert-refused');
  });

  test('holds an alert name as one segment', () => {
    expect(alertPath(endpoint, 's', 'Too many?')).toMatch(/\/roleManagementAlerts\/Too%20many%3F$/);
  });

  test('is followed by the version', () => {
    expect(versionQuery({ ...endpoint, apiVersion: '1&x=2' })).toBe('?api-version=1%26x%3D2');
  });
});
