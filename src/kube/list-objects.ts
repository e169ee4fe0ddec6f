// Lists all objects of a resource once, page by page, for commands that print and end. The operator lists with a reflector.
import { nonEmptyStringOf, objectOf, ownMember, stringOf } from '../lib/json-shape.ts';
import type { DecodedResource } from '../policy/decode-resources.ts';
import { KubeError } from './kube-error.ts';
import { collectionPath, type KubeResource, objectKey, queryOf } from './resource.ts';
import type { KubeTransport } from './transport.ts';

export interface ListedObjects<T> {
  readonly items: readonly T[];
  /** Objects that this program cannot read. `path`: of the first invalid member. */
  readonly unreadable: readonly { readonly key: string; readonly path: string }[];
}

export interface ListRequest<T> {
  readonly resource: KubeResource;
  /** Undefined for all namespaces, and for a cluster-scoped resource. */
  readonly namespace: string | undefined;
  readonly labelSelector?: string | undefined;
  /** Which objects by their fields, as the API server reads it: `type=Warning`. Default: all. */
  readonly fieldSelector?: string | undefined;
  readonly decode: (json: unknown) => DecodedResource<T>;
  readonly signal?: AbortSignal | undefined;
}

const pageSize = 500;

/** Rejects with a `KubeError`; `kube-not-found` when the cluster does not have the resource. */
export async function listObjects<T>(
  transport: Pick<KubeTransport, 'request'>,
  request: ListRequest<T>,
): Promise<ListedObjects<T>> {
  const items: T[] = [];
  const unreadable: ListedObjects<T>['unreadable'][number][] = [];
  let next: string | undefined;
  do {
    const page = await readPage(transport, request, next);
    for (const json of page.items) {
      const { value, problems } = request.decode(json);
      if (value !== undefined) items.push(value);
      else unreadable.push({ key: keyOf(json), path: problems.join(', ') });
    }
    if (page.next !== undefined && page.next === next) {
      throw new KubeError('kube-invalid', `The continue tokens of the list of ${request.resource.plural} form a loop.`);
    }
    next = page.next;
  } while (next !== undefined);
  return { items, unreadable };
}

interface Page {
  readonly items: readonly unknown[];
  readonly next: string | undefined;
}

async function readPage<T>(
  transport: Pick<KubeTransport, 'request'>,
  { resource, namespace, labelSelector, fieldSelector, signal }: ListRequest<T>,
  token: string | undefined,
): Promise<Page> {
  const path = `${collectionPath(resource, namespace)}${queryOf({ limit: pageSize, continue: token, labelSelector, fieldSelector })}`;
  const list = objectOf(await transport.request<unknown>({ verb: 'list', path, signal }));
  const items = list['items'];
  if (!Array.isArray(items)) throw new KubeError('kube-invalid', `The API server answered ${path} without items.`);
  return { items, next: nonEmptyStringOf(ownMember(objectOf(list['metadata']), 'continue')) };
}

function keyOf(json: unknown): string {
  const { name, namespace } = objectOf(objectOf(json)['metadata']);
  return objectKey({ metadata: { name: stringOf(name) ?? '?', namespace: stringOf(namespace) } });
}
