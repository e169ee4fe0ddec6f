// Open watches: every change that fits goes out as a line, in order, and as late as the replica that serves the watch is behind.
// Bookmarks carry the current version to watches without changes.
import type { SimStream } from '../engine/types.ts';
import type { VirtualTime } from '../engine/virtual-time.ts';
import { Refusal, statusObject, type StoredObject } from './object.ts';
import type { Change, ChangeType, ObjectStore } from './store.ts';

export interface WatchRequest {
  readonly plural: string;
  readonly kind: string;
  readonly apiVersion: string;
  /** What the client accepts of an object. */
  readonly show: (object: StoredObject) => object;
  /** As it was sent. */
  readonly resourceVersion: string;
  readonly fits: (object: StoredObject) => boolean;
  readonly timeoutMs: number;
  readonly hasBookmarks: boolean;
  /** Called for every change that reached the watching process. */
  readonly onDelivered?: (type: ChangeType, object: StoredObject) => void;
}

export interface WatchesDeps {
  readonly store: ObjectStore;
  readonly time: Pick<VirtualTime, 'nowMs' | 'schedule'>;
  /** How far behind a watch is, drawn for each change. */
  readonly lagMs: () => number;
  /** What goes out instead of a line: the same, mangled, twice. */
  readonly mangle: (line: string) => readonly (string | Buffer)[];
}

const bookmarkMs = 60_000;
/** A watch that ends in order says shortly before how far it came. */
const lastBookmarkMs = 2000;

interface Open {
  readonly plural: string;
  /** Ends it with an ERROR event, or just so. */
  end(error?: Refusal): void;
}

/** One line of a watch. */
interface WatchLine {
  readonly type: ChangeType | 'BOOKMARK' | 'ERROR';
  readonly object: object;
}

interface ChangeEvent extends WatchLine {
  readonly type: ChangeType;
  readonly object: StoredObject;
}

export class Watches {
  readonly #parts: WatchesDeps;
  readonly #open = new Set<Open>();

  constructor(parts: WatchesDeps) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Throws for an invalid version. A compacted one is reported in the stream. */
  start(request: WatchRequest, open: () => SimStream): void {
    const { resourceVersion } = request;
    if (!/^\d+$/.test(resourceVersion)) throw new Refusal(500, 'no such version', '');
    const stream = open();
    const first = this.#changesBefore(request);
    if (first instanceof Refusal) {
      stream.write(lineOf({ type: 'ERROR', object: statusObject(first) }));
      stream.end();
    } else this.#run(request, stream, first);
  }

  /** As an API server does it now and then. */
  endAll(plural: string | undefined, error?: Refusal): void {
    for (const open of this.#open) if (plural === undefined || open.plural === plural) open.end(error);
  }

  /** The missed changes, which come first. */
  #changesBefore({ plural, resourceVersion }: WatchRequest): readonly Change[] | Refusal {
    try {
      return this.#parts.store.changesSince(Number(resourceVersion), plural);
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  #run(request: WatchRequest, stream: SimStream, first: readonly Change[]): void {
    const { store, time, lagMs, mangle } = this.#parts;
    let sentVersion = Number(request.resourceVersion);
    let nextAtMs = 0;
    let isOver = false;
    const queue: (() => void)[] = [];
    const later = (run: () => void) => {
      nextAtMs = Math.max(nextAtMs, time.nowMs + lagMs());
      queue.push(run);
      // In the order of the changes: two delays that lead to one time may differ by a rounding error.
      time.schedule(nextAtMs - time.nowMs, () => {
        const next = queue.shift();
        if (!isOver) next?.();
      });
    };
    const send = (event: WatchLine, onArrived?: () => void) => {
      const line = lineOf(event);
      for (const chunk of mangle(line)) stream.write(chunk, chunk === line ? onArrived : undefined);
    };
    const see = (change: Change) => {
      if (change.plural !== request.plural) return;
      const event = eventOf(change, request.fits);
      later(() => {
        sentVersion = Math.max(sentVersion, change.version);
        if (!event) return;
        const shown = { type: event.type, object: request.show(event.object) };
        send(shown, () => request.onDelivered?.(event.type, event.object));
      });
    };
    const bookmark = () => {
      if (isOver) return;
      const { kind, apiVersion } = request;
      later(() => {
        const metadata = { resourceVersion: String(sentVersion), creationTimestamp: null };
        send({ type: 'BOOKMARK', object: { kind, apiVersion, metadata } });
      });
    };
    const bookmarks = () => {
      if (isOver) return;
      bookmark();
      time.schedule(bookmarkMs, bookmarks);
    };
    const close = () => {
      isOver = true;
      stopListening();
      this.#open.delete(open);
    };
    const open: Open = {
      plural: request.plural,
      end(error) {
        if (isOver) return;
        if (error) send({ type: 'ERROR', object: statusObject(error) });
        close();
        stream.end();
      },
    };
    for (const change of first) see(change);
    const stopListening = store.onChange(see);
    if (request.hasBookmarks) {
      time.schedule(bookmarkMs, bookmarks);
      if (request.timeoutMs > lastBookmarkMs) time.schedule(request.timeoutMs - lastBookmarkMs, bookmark);
    }
    time.schedule(request.timeoutMs, () => open.end());
    stream.onClosed(close);
    this.#open.add(open);
  }
}

function lineOf(event: WatchLine): string {
  return `${JSON.stringify(event)}\n`;
}

/** An object that stops to fit a selector is deleted, as it last fitted, for those who watch by it; one that begins to is added. */
function eventOf({ type, object, previous }: Change, fits: WatchRequest['fits']): ChangeEvent | undefined {
  const isFit = type !== 'DELETED' && fits(object);
  const wasFit = previous !== undefined && fits(previous);
  if (isFit) return { type: wasFit ? 'MODIFIED' : 'ADDED', object };
  if (!wasFit) return undefined;
  if (type === 'DELETED') return { type, object };
  const { resourceVersion } = object.metadata;
  return { type: 'DELETED', object: { ...previous, metadata: { ...previous.metadata, resourceVersion } } };
}
