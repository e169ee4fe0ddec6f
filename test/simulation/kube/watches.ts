// Open watches: every change that fits goes out as a line, in order, and as late as the replica that serves the watch is behind.
// Bookmarks tell those who see no change how far they are.
import type { SimStream } from '../engine/types.ts';
import type { VirtualTime } from '../engine/virtual-time.ts';
import { statusObject } from './object.ts';
import type { StoredObject, Refusal } from './object.ts';
import type { Change, ChangeType, ObjectStore } from './store.ts';

export interface WatchRequest {
  readonly plural: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly fromVersion: number;
  readonly fits: (object: StoredObject) => boolean;
  readonly timeoutMs: number;
  readonly hasBookmarks: boolean;
}

export interface WatchesParts {
  readonly store: ObjectStore;
  readonly time: VirtualTime;
  /** How far behind a watch is, drawn for each change. */
  readonly lagMs: () => number;
  /** What goes out instead of a line: the same, mangled, twice. */
  readonly mangle: (line: string) => readonly (string | Buffer)[];
}

const bookmarkMs = 60_000;

interface Open {
  readonly plural: string;
  /** Ends it with an ERROR event, or just so. */
  end(error?: Refusal): void;
}

export class Watches {
  readonly #parts: WatchesParts;
  readonly #open = new Set<Open>();

  constructor(parts: WatchesParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Throws 410 when the version is too old. */
  start(request: WatchRequest, stream: () => SimStream): void {
    const { store } = this.#parts;
    const missed = store.changesSince(request.fromVersion, request.plural);
    this.#run(request, stream(), missed);
  }

  /** As an API server does it now and then. */
  endAll(plural: string | undefined, error?: Refusal): void {
    for (const open of this.#open) if (plural === undefined || open.plural === plural) open.end(error);
  }

  #run(request: WatchRequest, stream: SimStream, missed: readonly Change[]): void {
    const { store, time, lagMs, mangle } = this.#parts;
    let toldVersion = request.fromVersion;
    let nextAtMs = 0;
    let isOver = false;
    const known = new Set(
      store
        .list(request.plural)
        .filter(request.fits)
        .map(({ metadata }) => metadata.uid),
    );
    const later = (run: () => void) => {
      nextAtMs = Math.max(nextAtMs, time.nowMs + lagMs());
      time.schedule(nextAtMs - time.nowMs, () => {
        if (!isOver) run();
      });
    };
    const tell = (type: ChangeType | 'BOOKMARK' | 'ERROR', object: object) => {
      for (const chunk of mangle(`${JSON.stringify({ type, object })}\n`)) stream.write(chunk);
    };
    const see = (change: Change) => {
      if (change.plural !== request.plural) return;
      const type = typeFor(change, request.fits(change.object), known);
      later(() => {
        toldVersion = change.version;
        if (type) tell(type, change.object);
      });
    };
    const bookmark = () => {
      if (isOver) return;
      later(() => {
        const { kind, apiVersion } = request;
        tell('BOOKMARK', {
          kind,
          apiVersion,
          metadata: { resourceVersion: String(toldVersion), creationTimestamp: null },
        });
      });
      time.schedule(bookmarkMs, bookmark);
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
        if (error) tell('ERROR', statusObject(error));
        close();
        stream.end();
      },
    };
    for (const { object } of missed) if (request.fits(object)) known.add(object.metadata.uid);
    for (const change of missed) see(change);
    const stopListening = store.onChange(see);
    if (request.hasBookmarks) time.schedule(bookmarkMs, bookmark);
    time.schedule(request.timeoutMs, () => open.end());
    stream.onClosed(close);
    this.#open.add(open);
  }
}

/** An object that stops to fit a selector is deleted for those who watch by it, and one that begins to is added. */
function typeFor(change: Change, fits: boolean, known: Set<string>): ChangeType | undefined {
  const { uid } = change.object.metadata;
  const wasKnown = known.has(uid);
  if (change.type === 'DELETED' || !fits) {
    known.delete(uid);
    return wasKnown ? 'DELETED' : undefined;
  }
  known.add(uid);
  return wasKnown && change.type !== 'ADDED' ? 'MODIFIED' : 'ADDED';
}
