// One step of a watcher: a page of a list, a new watch, or the events that a watch delivered.
import { within } from '../lib/within.ts';
import { readPage } from './list-page.ts';
import { queryOf, isSameOrEarlier } from './resource.ts';
import { toKubeFailure, unreachable } from './status-error.ts';
import { decodeWatchLine } from './watch-event.ts';
import type { WatcherSink, WatcherOptions } from './watcher-options.ts';
import { type WatcherState, type WatcherStep, emptyState, afterFailure, listedAt, afterEnd } from './watcher-state.ts';

/** An API server ends a watch by itself after this many seconds, plus as many again at random. */
const watchTimeoutSeconds = 300;

/** API servers send a bookmark about every minute; a stream that is silent for longer may be half open and is reopened. */
const silenceMs = 90_000;

/** How long a stream may exceed its requested timeout. */
const deadlineGraceMs = 30_000;

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
  options.onListed();
  return listedAt(resourceVersion, false);
}

async function openWatch(options: WatcherOptions, state: WatcherState & { at: 'listed' }): Promise<WatcherState> {
  const { transport, clock, random, path, labelSelector, fieldSelector, answer, signal } = options;
  const { resourceVersion, isSuspect } = state;
  const timeoutSeconds = Math.floor(watchTimeoutSeconds * (1 + random.next()));
  const selectors = { labelSelector, fieldSelector };
  const query = queryOf({ watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds, ...selectors });
  const openedAtMs = clock.monotonic();
  const stream = await transport.watch({ verb: 'watch', path: `${path}${query}`, answer, signal });
  options.onWatching();
  const deadlineAtMs = openedAtMs + timeoutSeconds * 1000 + deadlineGraceMs;
  return { at: 'watching', stream, resourceVersion, isSuspect, hasBroughtAnything: false, openedAtMs, deadlineAtMs };
}

async function readEvents(options: WatcherOptions, state: WatcherState & { at: 'watching' }): Promise<WatcherStep> {
  const { clock, log, signal } = options;
  const waitMs = Math.max(0, Math.min(silenceMs, state.deadlineAtMs - clock.monotonic()));
  const lines = await within(clock, waitMs, state.stream.read());
  if (signal.aborted) return { state };
  if (lines === 'late') {
    log.debug({ waitMs }, 'watch was silent for too long, reopening it');
    state.stream.close();
    return { state: listedAt(state.resourceVersion, state.isSuspect) };
  }
  return lines === undefined ? afterEnd(state, clock.monotonic()) : applyLines(options.sink, state, lines);
}

/** Applies lines up to the first bad one. A new watch requests everything after it again, so nothing is lost. */
function applyLines(
  sink: WatcherSink,
  state: WatcherState & { at: 'watching' },
  lines: readonly Buffer[],
): WatcherStep {
  let { resourceVersion, isSuspect } = state;
  for (const line of lines) {
    const event = decodeWatchLine(line);
    if (event.type === 'ERROR' || event.type === 'unreadable') {
      state.stream.close();
      const failure = event.type === 'ERROR' ? event.error : unreachable(event.problem, { reason: 'BadAnswer' });
      const isLost = isSuspect || failure.code === 'kube-gone';
      return { state: isLost ? emptyState : listedAt(resourceVersion, true), failure };
    }
    const version = event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion;
    if (isSameOrEarlier(version, resourceVersion)) continue;
    if (event.type === 'DELETED') sink.delete(event.object);
    else if (event.type !== 'BOOKMARK') sink.put(event.object);
    resourceVersion = version;
    isSuspect = false;
  }
  const hasBroughtAnything = state.hasBroughtAnything || resourceVersion !== state.resourceVersion;
  return { state: { ...state, resourceVersion, isSuspect, hasBroughtAnything } };
}
