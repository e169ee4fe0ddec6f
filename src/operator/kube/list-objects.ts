// Lists all objects of a resource once, page by page, for commands that print and end. The operator lists with a reflector.
import type { DecodedResource } from '../../policy/decode-resources.ts';
import { type ListedCollection, readPage } from './list-page.ts';
import { collectionPath, type KubeResource, objectKey } from './resource.ts';
import type { KubeTransport } from './transport.ts';

export interface ListedObjects<T> {
  readonly items: readonly T[];
  /** Objects that this program cannot read. `path`: of the first invalid member. */
  readonly unreadable: readonly { readonly key: string; readonly path: string }[];
}

export interface ListRequest<T> extends Pick<ListedCollection, 'labelSelector' | 'fieldSelector' | 'signal'> {
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
