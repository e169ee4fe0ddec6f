// How a cluster is read: which lists, page by page. Another test covers the content.
import { describe, expect, test } from 'vitest';

import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import { createClusterSource, type ListPage } from '../../../../src/service/scanner/cluster-source.ts';
import { decodeScannerConfiguration, type ClusterSourceOptions } from '../../../../src/service/scanner/scanner-file.ts';

const { source } = decodeScannerConfiguration({ source: { cluster: { name: 'c' } } }, 'f');
const settings = source as ClusterSourceOptions;
const signal = new AbortController().signal;
const group = '/apis/rbac.authorization.k8s.io/v1';

const read = (list: ListPage) => createClusterSource(settings, list).read(signal);
const role = (name: string) => ({
  metadata: { name },
  rules: [{ apiGroups: [''], resources: [name], verbs: ['get'] }],
});

/** Answers each ClusterRole on a page of its own; other lists are empty. */
function paged(names: readonly string[], asked: string[] = []): ListPage {
  return async (path) => {
    asked.push(path);
    if (!path.startsWith(`${group}/clusterroles?`)) return { items: [] };
    const index = Number(new URLSearchParams(path.split('?')[1]).get('continue') ?? 0);
    const next = index + 1 < names.length ? { continue: String(index + 1) } : {};
    return { metadata: next, items: [role(names[index] ?? '')] };
  };
}

describe('a cluster', () => {
  test('is read by lists of the four kinds in pages of 500', async () => {
    const asked: string[] = [];
    const [facts] = await read(paged(['a', 'b', 'c'], asked));
    expect(facts?.roles.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(asked).toEqual([
      `${group}/clusterroles?limit=500`,
      `${group}/clusterroles?limit=500&continue=1`,
      `${group}/clusterroles?limit=500&continue=2`,
      `${group}/roles?limit=500`,
      `${group}/clusterrolebindings?limit=500`,
      `${group}/rolebindings?limit=500`,
    ]);
  });

  test('is read from the first page again when a list grew too old', async () => {
    const inner = paged(['a', 'b']);
    let isTooOld = true;
    const [facts] = await read(async (path, given) => {
      if (isTooOld && path.includes('continue')) {
        isTooOld = false;
        throw new KubeError('kube-gone', 'Too old.');
      }
      return inner(path, given);
    });
    expect(facts?.roles.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test.each([
    ['is no list', async () => ({ kind: 'Status' })],
    ['goes on for ever', async () => ({ metadata: { continue: 'x' }, items: [] })],
  ])('whose answer %s is not read', async (_, list) => {
    await expect(read(list)).rejects.toMatchObject({ code: 'bad-answer' });
  });
});
