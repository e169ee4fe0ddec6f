// The steps of a watcher: a page of a list, a new watch, or the events that a watch delivered; and where it continues after a failure or
// the end of a watch.
import { within } from '../../lib/within.ts';
import type { KubeFailure } from './kube-error.ts';
import { type ListedCollection, readPage } from './list-page.ts';
import type { ReflectorOptions } from './reflector-options.ts';
import { isSameOrEarlier, type KubeObject, queryOf } from './resource.ts';
import { toKubeFailure, unreachable } from './status-error.ts';
import type { KubeTransport } from './transport.ts';
import { decodeWatchLine } from './watch-event.ts';
import type { WatchStream } from './watch-stream.ts';

/** Receives the objects in the server's order. */
export interface WatcherSink {
  startList(): void;
  put(object: KubeObject): void;
  delete(object: KubeObject): void;
  /** The list is complete: objects that it did not contain are deleted. */
  finishList(): void;
}

export interface WatcherOptions
  extends ListedCollection, Pick<ReflectorOptions<never>, 'transport' | 'clock' | 'random' | 'log'> {
  readonly transport: KubeTransport;
  readonly sink: WatcherSink;
  /** Stops the watcher. The sink receives nothing after that. */
  readonly signal: AbortSignal;
  /** Called with every step, at least every three minutes. */
  onSignOfLife(): void;
  /** A list is complete, or the API server accepted a watch. */
  onServed(): void;
  onFailure(failure: KubeFailure): void;
}

export type WatcherState =
  | { readonly at: 'empty' }
  | { readonly at: 'listing'; readonly continueToken: string }
  | { readonly at: 'listed'; readonly resourceVersion: string }
  | ({ readonly at: 'watching' } & Watching);

interface Watching {
  readonly stream: WatchStream;
  /** The version of the last complete event: a new watch continues from it. */
  readonly resourceVersion: string;
  /** Whether it delivered a later version. Every watch may repeat known ones. */
  readonly hasBroughtAnything: boolean;
  readonly openedAtMs: number;
  readonly deadlineAtMs: number;
}

/** The result of a step. After a failure, `state` is the one to continue from. */
export interface WatcherStep {
  readonly state: WatcherState;
  readonly failure?: KubeFailure;
}

export const emptyState: WatcherState = { at: 'empty' };

/** An API server ends a watch by itself after this many seconds, plus as many again at random. */
const watchTimeoutSeconds = 300;

/** API servers send a bookmark about every minute; a stream that is silent for longer may be half open and is reopened. */
const silenceMs = 90_000;

/** How long a stream may exceed its requested timeout. */
const deadlineGraceMs = 30_000;

/** A watch that ends sooner, without a new version, counts as a failure: otherwise a broken server would cause a tight loop. */
const shortestWatchMs = 1000;

/** Returns the next state. Never rejects. */
export async function stepWatcher(options: WatcherOptions, state: WatcherState): Promise<WatcherStep> {
  try {
    if (state.at === 'watching') return await readEvents(options, state);
    if (state.at === 'listed') return { state: await openWatch(options, state) };
    return { state: await listPage(options, state.at === 'listing' ? state.continueToken : undefined) };
  } catch (error) {
    if (state.at === 'watching') state.stream.close();
    const failure = toKubeFailure(error);
    return { state: afterFailure(state, failure), failure };
  }
}

async function listPage(options: WatcherOptions, token: string | undefined): Promise<WatcherState> {
  const { sink, signal } = options;
  if (token === undefined) sink.startList();
  const { items, resourceVersion, continueToken } = await readPage(options, token);
  if (signal.aborted) return emptyState;
  for (const item of items) sink.put(item);
  if (continueToken !== undefined) return { at: 'listing', continueToken };
  sink.finishList();
  options.onServed();
  return { at: 'listed', resourceVersion };
}

async function openWatch(options: WatcherOptions, state: WatcherState & { at: 'listed' }): Promise<WatcherState> {
  const { transport, clock, random, path, labelSelector, fieldSelector, answer, signal } = options;
  const { resourceVersion } = state;
  const timeoutSeconds = Math.floor(watchTimeoutSeconds * (1 + random.next()));
  const selectors = { labelSelector, fieldSelector };
  const query = queryOf({ watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds, ...selectors });
  const openedAtMs = clock.monotonic();
  const stream = await transport.watch({ verb: 'watch', path: `${path}${query}`, answer, signal });
  options.onServed();
  const deadlineAtMs = openedAtMs + timeoutSeconds * 1000 + deadlineGraceMs;
  return { at: 'watching', stream, resourceVersion, hasBroughtAnything: false, openedAtMs, deadlineAtMs };
}

async function readEvents(options: WatcherOptions, state: WatcherState & { at: 'watching' }): Promise<WatcherStep> {
  const { clock, log, signal } = options;
  const waitMs = Math.max(0, Math.min(silenceMs, state.deadlineAtMs - clock.monotonic()));
  const lines = await within(clock, waitMs, state.stream.read());
  if (signal.aborted) return { state };
  if (lines === 'late') {
    log.debug({ waitMs }, 'watch was silent for too long, reopening it');
    state.stream.close();
    return { state: listedAt(state) };
  }
  return lines === undefined ? afterEnd(state, clock.monotonic()) : applyLines(options.sink, state, lines);
}

/** Applies lines up to the first bad one. A new list has everything after it, so nothing is lost. */
function applyLines(
  sink: WatcherSink,
  state: WatcherState & { at: 'watching' },
  lines: readonly Buffer[],
): WatcherStep {
  let { resourceVersion } = state;
  for (const line of lines) {
    const event = decodeWatchLine(line);
    if (event.type === 'ERROR' || event.type === 'unreadable') {
      state.stream.close();
      const failure = event.type === 'ERROR' ? event.error : unreachable(event.problem, { reason: 'BadAnswer' });
      return { state: emptyState, failure };
    }
    const version = event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion;
    if (isSameOrEarlier(version, resourceVersion)) continue;
    if (event.type === 'DELETED') sink.delete(event.object);
    else if (event.type !== 'BOOKMARK') sink.put(event.object);
    resourceVersion = version;
  }
  const hasBroughtAnything = state.hasBroughtAnything || resourceVersion !== state.resourceVersion;
  return { state: { ...state, resourceVersion, hasBroughtAnything } };
}

/**
 * The state to continue from: requests the page again, or reopens the watch, unless the server no longer has the version or refuses the
 * request. After a refusal the objects may have changed unseen for long, so they are listed again.
 */
function afterFailure(state: WatcherState, failure: KubeFailure): WatcherState {
  if (failure.code !== 'kube-unreachable') return emptyState;
  return state.at === 'watching' ? listedAt(state) : state;
}

/** The state in which the next step opens a watch from the version of the last one. */
function listedAt({ resourceVersion }: Watching): WatcherState {
  return { at: 'listed', resourceVersion };
}

/** After the server ended the watch: a new watch from the same version. */
function afterEnd(state: Watching, nowMs: number): WatcherStep {
  const next = listedAt(state);
  if (state.hasBroughtAnything || nowMs - state.openedAtMs >= shortestWatchMs) return { state: next };
  return { state: next, failure: unreachable('the watch ended immediately') };
}
