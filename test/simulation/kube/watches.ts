// Open watches: every change that fits goes out as a line, in order, and as late as the replica that serves the watch is behind.
// Bookmarks tell those who see no change how far they are.
import type { SimStream } from '../engine/types.ts';
import type { VirtualTime } from '../engine/virtual-time.ts';
import { Refusal, statusObject, type StoredObject } from './object.ts';
import type { Change, ChangeType, ObjectStore } from './store.ts';

export interface WatchRequest {
  readonly plural: string;
  readonly kind: string;
  readonly apiVersion: string;
  /** As it was sent. Absent or `0`: what is there is told first. */
  readonly resourceVersion: string | null;
  readonly fits: (object: StoredObject) => boolean;
  readonly timeoutMs: number;
  readonly hasBookmarks: boolean;
  /** Told of every change that reached whoever watches. */
  readonly onTold?: (type: ChangeType, object: StoredObject) => void;
}

export interface WatchesDeps {
  readonly store: ObjectStore;
  readonly time: VirtualTime;
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

/** What a watch is told. */
interface Told {
  readonly type: ChangeType | 'BOOKMARK' | 'ERROR';
  readonly object: object;
}

interface ToldChange extends Told {
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

  /** Throws what the version cannot be read by. One that is forgotten is told in the stream. */
  start(request: WatchRequest, open: () => SimStream): void {
    const { resourceVersion } = request;
    if (resourceVersion !== null && !/^\d*$/.test(resourceVersion)) throw new Refusal(500, 'no such version', '');
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

  /** What is told before anything happens: what was missed, or what is there. */
  #changesBefore({ plural, resourceVersion }: WatchRequest): readonly Change[] | Refusal {
    const { store } = this.#parts;
    if (Number(resourceVersion ?? 0) === 0) {
      return store.list(plural).map((object) => {
        return { version: Number(object.metadata.resourceVersion), plural, type: 'ADDED', object, previous: undefined };
      });
    }
    try {
      return store.changesSince(Number(resourceVersion), plural);
    } catch (error) {
      if (error instanceof Refusal) return error;
      throw error;
    }
  }

  #run(request: WatchRequest, stream: SimStream, first: readonly Change[]): void {
    const { store, time, lagMs, mangle } = this.#parts;
    let toldVersion = Number(request.resourceVersion ?? 0) || store.version;
    let nextAtMs = 0;
    let isOver = false;
    const later = (run: () => void) => {
      nextAtMs = Math.max(nextAtMs, time.nowMs + lagMs());
      time.schedule(nextAtMs - time.nowMs, () => {
        if (!isOver) run();
      });
    };
    const tell = (told: Told, onArrived?: () => void) => {
      const line = lineOf(told);
      for (const chunk of mangle(line)) stream.write(chunk, chunk === line ? onArrived : undefined);
    };
    const see = (change: Change) => {
      if (change.plural !== request.plural) return;
      const told = toldOf(change, request.fits);
      later(() => {
        toldVersion = Math.max(toldVersion, change.version);
        if (told) tell(told, () => request.onTold?.(told.type, told.object));
      });
    };
    const bookmark = () => {
      if (isOver) return;
      const { kind, apiVersion } = request;
      later(() => {
        const metadata = { resourceVersion: String(toldVersion), creationTimestamp: null };
        tell({ type: 'BOOKMARK', object: { kind, apiVersion, metadata } });
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
        if (error) tell({ type: 'ERROR', object: statusObject(error) });
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

function lineOf(told: Told): string {
  return `${JSON.stringify(told)}\n`;
}

/** An object that stops to fit a selector is deleted, as it last fitted, for those who watch by it; one that begins to is added. */
function toldOf({ type, object, previous }: Change, fits: WatchRequest['fits']): ToldChange | undefined {
  const isFit = type !== 'DELETED' && fits(object);
  const wasFit = previous !== undefined && fits(previous);
  if (isFit) return { type: wasFit ? 'MODIFIED' : 'ADDED', object };
  if (!wasFit) return undefined;
  if (type === 'DELETED') return { type, object };
  const { resourceVersion } = object.metadata;
  return { type: 'DELETED', object: { ...previous, metadata: { ...previous.metadata, resourceVersion } } };
}
