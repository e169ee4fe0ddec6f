import { describe, expect, test } from 'vitest';

import { CodedError } from '../../../../src/lib/errors.ts';
import { listPath, parseEndpoint } from '../../../../src/operator/alert-client/endpoint.ts';
import { nextTarget } from '../../../../src/operator/alert-client/pages.ts';

const endpoint = parseEndpoint(
  { baseURL: 'https://h.example/gw', providerNamespace: 'V.A', apiVersion: '1' },
  { allowHttp: false, allowedHosts: [] },
);
const list = listPath(endpoint, 'a b/(c)');
const current = `${list}?api-version=1`;
const next = (link: string) => nextTarget(endpoint, current, list, link);

describe('a nextLink', () => {
  test.each([
    { link: `https://h.example${list}?api-version=1&skip=2`, target: `${list}?api-version=1&skip=2` },
    { link: `https://H.EXAMPLE:443${list}?api-version=1&skip=2`, target: `${list}?api-version=1&skip=2` },
    { link: `${list}?api-version=1&$skiptoken=a%2Fb`, target: `${list}?api-version=1&$skiptoken=a%2Fb` },
    { link: `?api-version=1&skip=2#x`, target: `${list}?api-version=1&skip=2` },
    { link: `?${'x'.repeat(8191)}`, target: `${list}?${'x'.repeat(8191)}&api-version=1` },
    { link: list, target: `${list}?api-version=1` },
    { link: '?', target: `${list}?api-version=1` },
    { link: '?skip=2', target: `${list}?skip=2&api-version=1` },
    { link: `${list}/pages/2`, target: `${list}/pages/2?api-version=1` },
    {
      link: '/GW/A%20B/%28c%29/Providers/v.a/RoleManagementAlerts?api-version=1',
      target: '/GW/A%20B/%28c%29/Providers/v.a/RoleManagementAlerts?api-version=1',
    },
  ])('to $link leads to $target', ({ link, target }) => {
    expect(next(link)).toBe(target);
  });

  test.each([
    `//evil.example${list}`,
    '/gw/other/providers/V.A/roleManagementAlerts',
    `${list}x`,
    `${list}/../../secret`,
    `${list}/..%2f..%2fsecret`,
    `${list}/%2e%2e/%2e%2e/secret`,
    `${list}/%`,
    `?${'x'.repeat(8192)}`,
    `https://user@h.example${list}`,
    `https://:pass@h.example${list}`,
    `${list}%5c..`,
    'https://[',
  ])('to %s is refused', (link) => {
    let refusal: unknown;
    try {
      next(link);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(CodedError);
    expect(refusal).toMatchObject({ code: 'service-protocol', reason: 'UnsafeNextLink' });
  });
});
