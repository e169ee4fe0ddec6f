// Paths, keys and versions of the API server, and its lists.
import { describe, expect, it, test } from 'vitest';

import { isKubeError } from '../../../../src/operator/kube/kube-error.ts';
import { listObjects } from '../../../../src/operator/kube/lists.ts';
import { collectionPath, isSameOrEarlier, objectPath } from '../../../../src/operator/kube/resource.ts';
import type { KubeTransport } from '../../../../src/operator/kube/transport.ts';

const things = { group: 'example.dev', version: 'v1', plural: 'things' };
const secrets = { group: '', version: 'v1', plural: 'secrets' };

describe('paths of the API server', () => {
  it('address a collection, an object and its status', () => {
    expect(collectionPath(things, undefined)).toBe('/apis/example.dev/v1/things');
    expect(collectionPath(things, 'team')).toBe('/apis/example.dev/v1/namespaces/team/things');
    expect(objectPath(secrets, 'team', 'a')).toBe('/api/v1/namespaces/team/secrets/a');
    expect(objectPath(things, 'team', 'a', 'status')).toBe('/apis/example.dev/v1/namespaces/team/things/a/status');
  });

  it.each(['', '.', '..', 'a/b', '../x', 'a?b', 'a%2fb', 'a b', 'ä', '-a', 'x'.repeat(254)])(
    'refuse the name "%s"',
    (name) => {
      const refused = (call: () => unknown) => {
        try {
          return call();
        } catch (error) {
          return isKubeError(error, 'kube-invalid');
        }
      };
      expect(refused(() => objectPath(secrets, 'team', name))).toBe(true);
      expect(refused(() => objectPath(secrets, name, 'a'))).toBe(true);
    },
  );
});

describe('the order of resource versions', () => {
  const cases: [string, string, boolean][] = [
    ['9', '10', true],
    ['10', '9', false],
    ['10', '10', true],
    ['18446744073709551616', '18446744073709551617', true],
    ['abc', 'abd', false],
    ['abc', 'abc', true],
    ['09', '10', false],
  ];
  it.each(cases)('%s is the same as or earlier than %s: %s', (left, right, expected) => {
    expect(isSameOrEarlier(left, right)).toBe(expected);
  });
});

const resource = { group: '', version: 'v1', plural: 'namespaces' };

function transportOf(answer: (path: string) => unknown): Pick<KubeTransport, 'request'> {
  return { request: <T>({ path }: { readonly path: string }) => Promise.resolve(answer(path) as T) };
}

test('a list ends when the API server repeats the token of a page', async () => {
  const paths: string[] = [];
  const transport = transportOf((path) => {
    paths.push(path);
    return { items: [], metadata: { resourceVersion: '1', continue: 'again' } };
  });
  const list = listObjects(transport, {
    resource,
    namespace: undefined,
    decode: () => ({ value: undefined, problems: [] }),
  });
  await expect(list).rejects.toMatchObject({
    code: 'kube-unreachable',
    detail: 'the continue tokens of the list form a loop',
  });
  expect(paths).toHaveLength(2);
});
