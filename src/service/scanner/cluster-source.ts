// Role assignments from a cluster's own RBAC, read with lists only. What they mean is decided in cluster-facts.ts.
import { isOperatorError, OperatorError } from '../../lib/errors.ts';
import { isObject } from '../alerts/alert-shape.ts';
import type { ClusterSettings } from '../config-files/scanner-file.ts';
import type { AssignmentSource } from './assignments.ts';
import { decodeClusterFacts, type KubeObject } from './cluster-facts.ts';

/**
 * One GET of a page at the API server, its path below the server's address. The parsed body of a success; rejects with an
 * `OperatorError`, `kube-gone` when a page can no longer be continued.
 */
export type ListPage = (path: string, signal: AbortSignal) => Promise<unknown>;

const group = '/apis/rbac.authorization.k8s.io/v1';
const pageSize = 500;

/** Half a million objects; more than etcd takes. A server that goes on for ever ends here. */
const pageLimit = 1000;

export function createClusterSource(settings: ClusterSettings, listPage: ListPage): AssignmentSource {
  const list = (resource: string, signal: AbortSignal) => listAll(`${group}/${resource}`, listPage, signal);
  return {
    async read(signal) {
      const clusterRoles = await list('clusterroles', signal);
      const roles = await list('roles', signal);
      const clusterRoleBindings = await list('clusterrolebindings', signal);
      const roleBindings = await list('rolebindings', signal);
      return decodeClusterFacts({ clusterRoles, roles, clusterRoleBindings, roleBindings }, settings);
    },
  };
}

/** A list that grew too old on the way is begun again once. */
async function listAll(path: string, listPage: ListPage, signal: AbortSignal): Promise<readonly KubeObject[]> {
  try {
    return await listPages(path, listPage, signal);
  } catch (error) {
    if (!isOperatorError(error, 'kube-gone')) throw error;
    return listPages(path, listPage, signal);
  }
}

async function listPages(path: string, listPage: ListPage, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const items: KubeObject[] = [];
  let next = '';
  for (let count = 0; count < pageLimit; count += 1) {
    const query = new URLSearchParams({ limit: String(pageSize), ...(next !== '' && { continue: next }) });
    const page = decodePage(await listPage(`${path}?${query.toString()}`, signal));
    for (const item of page.items) items.push(item);
    next = page.next;
    if (next === '') return items;
  }
  throw unusable('The API server continues a list without an end.');
}

function decodePage(page: unknown): { readonly items: readonly KubeObject[]; readonly next: string } {
  if (!isObject(page) || !Array.isArray(page['items'])) throw unusable('The API server answered with no list.');
  const { metadata } = page;
  const next = isObject(metadata) ? metadata['continue'] : undefined;
  return { items: page['items'].filter(isObject), next: typeof next === 'string' ? next : '' };
}

function unusable(sentence: string): OperatorError {
  return new OperatorError('kube-unreachable', sentence, { reason: 'BadAnswer' });
}
