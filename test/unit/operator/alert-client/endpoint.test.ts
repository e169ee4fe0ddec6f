// Which endpoints, hosts and addresses the operator uses, and the paths of its requests.
import { describe, expect, test } from 'vitest';

import { CodedError } from '../../../../src/lib/errors.ts';
import {
  alertPath,
  isPrivateName,
  isPublicAddress,
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

describe('an address of the public internet', () => {
  test.each(['8.8.8.8', '2606:4700::1111', '64:ff9b::8.8.8.8', '::ffff:8.8.8.8'])('is %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each(['', 'localhost', '127.1', '0x7f000001', '8.8.8.8.8', 'fe80::1%eth0', '::ffff:a9fe:a9fe'])(
    'is not %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(false);
    },
  );
});

/** Neighbours that no other block refuses. */
const knownOf = (...neighbours: (string | undefined)[]) => neighbours.filter((each) => each !== undefined);

test.each([
  ['0.0.0.0', '0.255.255.255', undefined, '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0', '239.255.255.255', '223.255.255.255', undefined],
  ['240.0.0.0', '255.255.255.255', undefined, undefined],
])('a rejected block of IPv4 goes from %s to %s, also inside IPv6', (first, end, before, after) => {
  for (const carrier of ['', '::ffff:', '64:ff9b::']) {
    const isPublic = (address: string) => isPublicAddress(`${carrier}${address}`);
    expect([first, end].map(isPublic)).toEqual([false, false]);
    expect(knownOf(before, after).filter((neighbour) => !isPublic(neighbour))).toEqual([]);
  }
});

const last = ':ffff'.repeat(6);

test.each([
  ['::', '::ffff:ffff', undefined, '::1:0:0'],
  ['64:ff9b:1::', `64:ff9b:1${':ffff'.repeat(5)}`, `64:ff9b:0${':ffff'.repeat(5)}`, '64:ff9b:2::'],
  ['100::', '100::ffff:ffff:ffff:ffff', `ff:ffff${last}`, '100:0:0:1::'],
  ['2001::', `2001:1ff${last}`, `2000:ffff${last}`, '2001:200::'],
  ['2001:db8::', `2001:db8${last}`, `2001:db7${last}`, '2001:db9::'],
  ['2002::', `2002:ffff${last}`, `2001:ffff${last}`, '2003::'],
  ['3fff::', `3fff:fff${last}`, `3ffe:ffff${last}`, '3fff:1000::'],
  ['5f00::', `5f00:ffff${last}`, `5eff:ffff${last}`, '5f01::'],
  ['fc00::', `fdff:ffff${last}`, `fbff:ffff${last}`, 'fe00::'],
  ['fe80::', `febf:ffff${last}`, `fe7f:ffff${last}`, undefined],
  ['fec0::', `feff:ffff${last}`, undefined, undefined],
  ['ff00::', `ffff:ffff${last}`, undefined, undefined],
])('a rejected block of IPv6 goes from %s to %s', (first, end, before, after) => {
  expect([first, end].map(isPublicAddress)).toEqual([false, false]);
  expect(knownOf(before, after).filter((neighbour) => !isPublicAddress(neighbour))).toEqual([]);
});

test.each(['metadata', 'a.internal', 'A.LOCAL.', 'kubernetes.default.svc', 'localhost', '10.in-addr.arpa'])(
  'only a private network has the name %s',
  (name) => {
    expect(isPrivateName(name)).toBe(true);
  },
);

test.each(['alerts.example', 'internal.example', 'svc.example.net', 'a.notinternal', 'a.localhost.example.'])(
  'the public DNS may have the name %s',
  (name) => {
    expect(isPrivateName(name)).toBe(false);
  },
);
