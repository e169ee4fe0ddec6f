// Lists of objects, page by page: a page for a watcher, or all objects of a resource once, for commands that print and end.
import { isString, nonEmptyStringOf, objectOf } from '../../lib/json-shape.ts';
import type { DecodedResource } from '../../policy/decode-resources.ts';
import { unreachable } from './kube-error.ts';
import { collectionPath, isKubeObject, type KubeObject, type KubeResource, objectKey, queryOf } from './resource.ts';
import type { KubeRequest, KubeTransport } from './transport.ts';

export interface ListedCollection extends Pick<KubeRequest, 'answer' | 'signal'> {
  readonly transport: Pick<KubeTransport, 'request'>;
  /** The path of the collection, without a query. */
  readonly path: string;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly pageSize: number;
}

interface ListPage {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
  /** Undefined for the last page. */
  readonly continueToken: string | undefined;
}

/** A consistent read (without a resourceVersion), so that a list never goes back in time. `token`: that of the page before. */
export async function readPage(collection: ListedCollection, token: string | undefined): Promise<ListPage> {
  const { transport, path, labelSelector, fieldSelector, pageSize, answer, signal } = collection;
  const query = queryOf({ limit: pageSize, continue: token, labelSelector, fieldSelector });
  const { items, metadata } = objectOf(
    await transport.request<unknown>({ verb: 'list', path: `${path}${query}`, answer, signal }),
  );
  const { resourceVersion, continue: next } = objectOf(metadata);
  if (!isString(resourceVersion) || !Array.isArray(items) || !items.every(isKubeObject)) {
    throw unreachable('the response is not a list of objects', { reason: 'BadAnswer' });
  }
  const continueToken = nonEmptyStringOf(next);
  if (continueToken !== undefined && continueToken === token) {
    throw unreachable('the continue tokens of the list form a loop', { reason: 'BadAnswer' });
  }
  return { items, resourceVersion, continueToken };
}

export interface ListedObjects<T> {
  readonly items: readonly T[];
  /** Objects that this program cannot read. `path`: of the first invalid member. */
  readonly unreadable: readonly { readonly key: string; readonly path: string }[];
}

export interface ListRequest<T> extends Pick<ListedCollection, 'labelSelector' | 'signal'> {
  readonly resource: KubeResource;
  /** Undefined for all namespaces, and for a cluster-scoped resource. */
  readonly namespace: string | undefined;
  readonly decode: (json: unknown) => DecodedResource<T>;
}

const pageSize = 500;

/** Rejects with a `KubeError`; `kube-not-found` when the cluster does not have the resource. */
export async function listObjects<T>(
  transport: Pick<KubeTransport, 'request'>,
  { resource, namespace, decode, ...request }: ListRequest<T>,
): Promise<ListedObjects<T>> {
  const collection = { ...request, transport, path: collectionPath(resource, namespace), pageSize };
  const items: T[] = [];
  const unreadable: ListedObjects<T>['unreadable'][number][] = [];
  let token: string | undefined;
  do {
    const page = await readPage(collection, token);
    for (const object of page.items) {
      const { value, problems } = decode(object);
      if (value !== undefined) items.push(value);
      else unreadable.push({ key: objectKey(object), path: problems.join(', ') });
    }
    token = page.continueToken;
  } while (token !== undefined);
  return { items, unreadable };
}
