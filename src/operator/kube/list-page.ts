// One page of a list of objects.
import { isString, nonEmptyStringOf, objectOf } from '../../lib/json-shape.ts';
import { type KubeObject, queryOf } from './resource.ts';
import { unreachable } from './status-error.ts';
import type { KubeRequest, KubeTransport } from './transport.ts';
import { isKubeObject } from './watch-event.ts';

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
