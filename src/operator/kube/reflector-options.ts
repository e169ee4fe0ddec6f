// What a reflector is given: the resource, its handlers and its observer.
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import type { KubeFailure } from './kube-error.ts';
import type { ObjectEvent } from './object-cache.ts';
import type { KubeObject, KubeResource } from './resource.ts';
import type { KubeTransport } from './transport.ts';

/** Called in the order of the events, in the same tick as the change of the cache. Exceptions are logged and otherwise ignored. */
interface ReflectorHandlers<T> {
  onEvent(event: ObjectEvent<T>): void;
  /** Called once, after the events of the first complete list of every namespace. */
  onSynced?(): void;
}

interface ReflectorObserver {
  /** A list is complete, or the API server accepted a watch. */
  onServed(resource: string): void;
  onFailure(resource: string, code: KubeFailure['code']): void;
}

export interface ReflectorOptions<T> {
  readonly resource: KubeResource;
  /** Absent or empty: all namespaces. */
  readonly namespaces?: readonly string[] | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /**
   * Decodes an object. Without a value the reflector logs the problems and treats the object as deleted. Absent: accepts every object
   * with a name, a uid and a resourceVersion.
   */
  readonly decode?: ((object: KubeObject) => { readonly value?: T; readonly problems: readonly string[] }) | undefined;
  /** Whole objects, the default, or their metadata only. */
  readonly answer?: 'object' | 'metadata' | undefined;
  /**
   * How long the API server may refuse the collection (403 or 404) until the cache forgets its objects; milliseconds. Absent: it keeps
   * them.
   */
  readonly forgetAfterRefusalMs?: number | undefined;
  /** Objects per page of a list. Default 100. */
  readonly pageSize?: number | undefined;
  readonly handlers: ReflectorHandlers<T>;
  readonly observer?: ReflectorObserver | undefined;
}
