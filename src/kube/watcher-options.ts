// What a watcher is given: the collection, its sink, and its observers.
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import type { KubeFailure } from './kube-error.ts';
import type { ListedCollection } from './list-page.ts';
import type { KubeObject } from './resource.ts';
import type { KubeTransport } from './transport.ts';

/** Receives the objects in the server's order. */
export interface WatcherSink {
  startList(): void;
  put(object: KubeObject): void;
  delete(object: KubeObject): void;
  /** The list is complete: objects that it did not contain are deleted. */
  finishList(): void;
}

export interface WatcherOptions extends ListedCollection {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Whole objects, the default, or their metadata only. */
  readonly answer?: 'object' | 'metadata' | undefined;
  readonly sink: WatcherSink;
  /** Stops the watcher. The sink receives nothing after that. */
  readonly signal: AbortSignal;
  /** Called with every step, at least every three minutes. */
  onSignOfLife(): void;
  onListed(): void;
  onWatching(): void;
  onFailure(failure: KubeFailure): void;
}
