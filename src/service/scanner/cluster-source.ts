// Reads role assignments from the RBAC objects of a cluster, with lists only. cluster-facts.ts converts them.
import { CodedError, isCoded } from '../../lib/errors.ts';
import { isObject, objectOf, stringOf } from '../../lib/json-shape.ts';
import type { AssignmentSource } from './assignments.ts';
import { decodeClusterFacts, rbacPath } from './cluster-facts.ts';
import type { ClusterObject } from './object-metadata.ts';
import type { ClusterSourceOptions } from './scanner-file.ts';

/**
 * GETs one page from the API server; `path` is relative to the server's URL. Resolves with the parsed body. Rejects with a
 * `CodedError`, `kube-gone` when the continue token has expired.
 */
export type ListPage = (path: string, signal: AbortSignal) => Promise<unknown>;

/** The one error of the API server that is handled here. */
type ListPageErrorCode = 'kube-gone';

/** The API server responded with something other than a complete list. */
export class ScanError extends CodedError<'bad-answer'> {}

const pageSize = 500;

/** Half a million objects, more than etcd can hold. Stops an endless list. */
const pageLimit = 1000;

export function createClusterSource(settings: ClusterSourceOptions, listPage: ListPage): AssignmentSource {
  const list = (resource: string, signal: AbortSignal) => listAll(`${rbacPath}/${resource}`, listPage, signal);
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

/** Restarts a list once when its continue token has expired. */
async function listAll(path: string, listPage: ListPage, signal: AbortSignal): Promise<readonly ClusterObject[]> {
  try {
    return await listPages(path, listPage, signal);
  } catch (error) {
    if (!isCoded<ListPageErrorCode>(error, 'kube-gone')) throw error;
    return listPages(path, listPage, signal);
  }
}

async function listPages(path: string, listPage: ListPage, signal: AbortSignal): Promise<readonly ClusterObject[]> {
  const items: ClusterObject[] = [];
  let next = '';
  for (let count = 0; count < pageLimit; count += 1) {
    const query = new URLSearchParams({ limit: String(pageSize), ...(next !== '' && { continue: next }) });
    const page = decodePage(await listPage(`${path}?${query.toString()}`, signal));
    for (const item of page.items) items.push(item);
    next = page.next;
    if (next === '') return items;
  }
  throw unusable('The API server returned an endless list.');
}

function decodePage(page: unknown): { readonly items: readonly ClusterObject[]; readonly next: string } {
  const { items, metadata } = objectOf(page);
  if (!Array.isArray(items)) throw unusable('The API server did not return a list.');
  return { items: items.filter(isObject), next: stringOf(objectOf(metadata)['continue']) ?? '' };
}

function unusable(message: string): ScanError {
  return new ScanError('bad-answer', message);
}
