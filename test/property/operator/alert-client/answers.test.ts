import fc from 'fast-check';
import { expect, test } from 'vitest';

import { CodedError } from '../../../../src/lib/errors.ts';
import { alertPath, listPath, parseEndpoint } from '../../../../src/operator/alert-client/endpoint.ts';
import { nextTarget } from '../../../../src/operator/alert-client/pages.ts';

const endpoint = parseEndpoint(
  { baseURL: 'https://h.example/gw', providerNamespace: 'V.A', apiVersion: '1' },
  { allowHttp: false, allowedHosts: [] },
);

/** Undefined for a refusal that says what it is; anything else that is thrown is a bug. */
function unlessRefused(work: () => string): string | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof CodedError) return undefined;
    throw error;
  }
}

test('no nextLink leads to another origin or out of the list', () => {
  const list = listPath(endpoint, 's/1');
  const link = fc.oneof(
    fc.string(),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc
      .tuple(
        fc.constantFrom('https://h.example', '//h.example', '', 'https://h.example@', '\\\\'),
        fc.string(),
        fc.string(),
      )
      .map(([start, host, rest]) => `${start}${host}${list}${rest}`),
    fc
      .array(fc.constantFrom('..', '/', '%2e', '%2f', '\\', '?', '#', '@', ':', 'h.example', list, 'a'), {
        maxLength: 8,
      })
      .map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(link, (nextLink) => {
      const target = unlessRefused(() => nextTarget(endpoint, `${list}?api-version=1`, list, nextLink));
      if (target === undefined) return;
      const url = new URL(`https://h.example${target}`);
      expect(url.host).toBe('h.example');
      expect(url.pathname.toLowerCase().startsWith(list.toLowerCase())).toBe(true);
      expect(url.searchParams.has('api-version')).toBe(true);
      expect(target).toMatch(/^[\u0021-\u007e]+$/);
    }),
    { numRuns: 1000 },
  );
});

test('a scope and an alert name become a path that a URL parser leaves alone, or are refused', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (scope, name) => {
      const path = unlessRefused(() => alertPath(endpoint, scope, name));
      if (path === undefined) return;
      expect(new URL(`https://h.example${path}`).pathname).toBe(path);
      expect(decodeURIComponent(path.split('/').at(-1) ?? '')).toBe(name);
    }),
    { numRuns: 500 },
  );
});
