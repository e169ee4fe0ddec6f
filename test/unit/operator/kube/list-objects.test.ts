import { expect, test } from 'vitest';

import { listObjects } from '../../../../src/operator/kube/lists.ts';
import type { KubeTransport } from '../../../../src/operator/kube/transport.ts';

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
