// Follows one collection until it is stopped, after kube-rs' watcher and client-go's reflector. `stepWatcher` is the only state transition:
//
//   empty ──first page──▶ listing ──last page──▶ listed ──accepted──▶ watching ─┐
//     ▲                      │ refusal             │ refusal       ▲      │ ▲    │ events, bookmarks
//     └──────────────────────┴─────────────────────┘               │      │ └────┘
//     ▲                                                            └──────┤ end, silence, reset
//     └───────────────────────────────────────────────────────────────────┘ 410, a bad line
//
// A refusal is any status but a temporary one: 401, 403, 404, 410 and the like. A failure never ends it: it backs off (`backoffMs`) and continues from a safe state. It stores no objects.
import { type Clock, sleep, within } from '../../lib/clock.ts';
import { doublingMs } from '../../lib/duration.ts';
import { messageOf } from '../../lib/errors.ts';
import { isNonEmptyString, isObject, objectOf } from '../../lib/json-shape.ts';
import type { Logger } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import type { WatchStream } from './api-server-call.ts';
import {
  decodeStatusObject,
  errorOfStatus,
  type KubeError,
  type KubeFailure,
  toKubeFailure,
  unreachable,
} from './kube-error.ts';
import { type ListedCollection, readPage } from './lists.ts';
import { isKubeObject, isSameOrEarlier, type KubeObject, queryOf } from './resource.ts';
import type { KubeTransport } from './transport.ts';

/** After this long without a failure, the count of failures starts again. */
const forgivenAfterMs = 120_000;

/** Resolves when the signal aborts; never rejects. */
export async function runWatcher(options: WatcherOptions): Promise<void> {
  const { clock, random, log, signal } = options;
  let state: WatcherState = emptyState;
  let failures = 0;
  let failedAtMs = 0;
  let lastCode: KubeFailure['code'] | undefined;
  while (!signal.aborted) {
    options.onSignOfLife();
    const wasWatching = state.at === 'watching';
    const { state: next, failure } = await stepWatcher(options, state);
    state = next;
    if (signal.aborted) break;
    if (failure === undefined) {
      if (failures > 0 && wasWatching && state.at === 'watching') {
        log.info({ failures }, 'list and watch work again');
        failures = 0;
      }
      continue;
    }
    const nowMs = clock.monotonic();
    // A "gone" proves that the server is reachable, so earlier failures no longer count.
    const isBack = failure.code === 'kube-gone' && lastCode !== 'kube-gone';
    failures = isBack || nowMs - failedAtMs > forgivenAfterMs ? 1 : failures + 1;
    failedAtMs = nowMs;
    lastCode = failure.code;
    const delayMs = backoffMs(failures, failure.retryAfterMs, random);
    options.onFailure(failure);
    const { code, reason, detail: error } = failure;
    const fields = { code, reason, error, next: state.at, failures, delayMs: Math.round(delayMs) };
    log[failures === 1 && code !== 'kube-gone' ? 'warn' : 'debug'](fields, 'list or watch failed');
    await sleep(clock, delayMs, signal);
  }
  if (state.at === 'watching') state.stream.close();
}

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
  readonly sink: WatcherSink;
  /** Stops the watcher. The sink receives nothing after that. */
  readonly signal: AbortSignal;
  /** Called with every step, at least every three minutes. */
  onSignOfLife(): void;
  /** A list is complete, or the API server accepted a watch. */
  onServed(): void;
  onFailure(failure: KubeFailure): void;
}

type WatcherState =
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
interface WatcherStep {
  readonly state: WatcherState;
  readonly failure?: KubeFailure;
}

const emptyState: WatcherState = { at: 'empty' };

/** An API server ends a watch by itself after this many seconds, plus as many again at random. */
const watchTimeoutSeconds = 300;

/** API servers send a bookmark about every minute; a stream that is silent for longer may be half open and is reopened. */
const silenceMs = 90_000;

/** How long a stream may exceed its requested timeout. */
const deadlineGraceMs = 30_000;

/** A watch that ends sooner, without a new version, counts as a failure: otherwise a broken server would cause a tight loop. */
const shortestWatchMs = 1000;

/** Returns the next state. Never rejects. */
async function stepWatcher(options: WatcherOptions, state: WatcherState): Promise<WatcherStep> {
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

type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string }
  | { readonly type: 'ERROR'; readonly error: KubeError }
  /** Not JSON, truncated, or not an event. */
  | { readonly type: 'unreadable'; readonly problem: string };

export function decodeWatchLine(line: Buffer): WatchEvent {
  try {
    return decodeEvent(JSON.parse(line.toString('utf8')));
  } catch (error) {
    return { type: 'unreadable', problem: messageOf(error) };
  }
}

function decodeEvent(value: unknown): WatchEvent {
  if (!isObject(value)) return { type: 'unreadable', problem: 'not an object' };
  const { type, object } = value;
  if (type === 'ERROR') {
    return {
      type,
      error: errorOfStatus(decodeStatusObject(object) ?? { code: 500, message: 'an error without a status' }),
    };
  }
  if (type === 'BOOKMARK') {
    const version = objectOf(objectOf(object)['metadata'])['resourceVersion'];
    if (isNonEmptyString(version)) return { type, resourceVersion: version };
  } else if ((type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') && isKubeObject(object)) {
    return { type, object };
  }
  return { type: 'unreadable', problem: 'not a watch event' };
}

const firstDelayMs = 800;
/** Before the jitter, which may double it: at most 30 s in all, so that a watcher notices a recovered API server within that time. */
const longestDelayMs = 15_000;
const longestRetryAfterMs = 120_000;

/**
 * The delay after the `failures`th failure in a row (from 1): exponential, and up to twice as long by jitter. Retry-After is a
 * minimum, up to two minutes, so that a reflector reports a sign of life often enough.
 */
export function backoffMs(failures: number, retryAfterMs: number | undefined, random: Random): number {
  const delayMs = doublingMs(failures, firstDelayMs, longestDelayMs) * (1 + random.next());
  return Math.max(delayMs, Math.min(retryAfterMs ?? 0, longestRetryAfterMs));
}
