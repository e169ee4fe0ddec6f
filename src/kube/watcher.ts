// Follows one collection until it is stopped, after kube-rs' watcher and client-go's reflector. `step` is the only state transition:
//
//   empty ──first page──▶ listing ──last page──▶ listed ──accepted──▶ watching ─┐
//     ▲                      │ 410                 │ 410, 404      ▲      │ ▲    │ events, bookmarks
//     └──────────────────────┴─────────────────────┘               │      │ └────┘
//     ▲                                                            └──────┤ end, silence, reset, a first bad line
//     └───────────────────────────────────────────────────────────────────┘ 410, a second bad line without progress
//
// A failure never ends it: it backs off (`backoffMs`) and continues from a safe state. It stores no objects.
import { sleep, type Clock } from '../lib/clock.ts';
import { isNonEmptyString, isString, objectOf } from '../lib/json-shape.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import { within } from '../lib/within.ts';
import { backoffMs } from './backoff.ts';
import type { KubeFailure } from './kube-error.ts';
import { queryOf, isSameOrEarlier, type KubeObject } from './resource.ts';
import { toKubeFailure, unreachable } from './status-error.ts';
import type { KubeTransport } from './transport.ts';
import { decodeWatchLine, isKubeObject } from './watch-event.ts';
import type { WatchStream } from './watch-stream.ts';

/** Receives the objects in the server's order. */
export interface WatcherSink {
  startList(): void;
  put(object: KubeObject): void;
  delete(object: KubeObject): void;
  /** The list is complete: objects that it did not contain are deleted. */
  finishList(): void;
}

export interface WatcherOptions {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The path of the collection, without a query. */
  readonly path: string;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly pageSize: number;
  readonly sink: WatcherSink;
  /** Stops the watcher. The sink receives nothing after that. */
  readonly signal: AbortSignal;
  /** Called with every step, at least every three minutes. */
  onSignOfLife(): void;
  onListed(): void;
  onWatching(): void;
  onFailure(code: KubeFailure['code']): void;
}

type State =
  | { readonly at: 'empty' }
  | { readonly at: 'listing'; readonly continueToken: string }
  /** `isSuspect`: the last watch from this version delivered only a bad line. */
  | { readonly at: 'listed'; readonly resourceVersion: string; readonly isSuspect: boolean }
  | ({ readonly at: 'watching' } & Watching);

interface Watching {
  readonly stream: WatchStream;
  /** The version of the last complete event: a new watch continues from it. */
  readonly resourceVersion: string;
  readonly isSuspect: boolean;
  /** Whether it delivered a later version. Every watch may repeat known ones. */
  readonly hasBroughtAnything: boolean;
  readonly openedAtMs: number;
  readonly deadlineAtMs: number;
}

/** The result of a step. After a failure, `state` is the one to continue from. */
interface Step {
  readonly state: State;
  readonly failure?: KubeFailure;
}

const empty: State = { at: 'empty' };

/** An API server ends a watch by itself after this many seconds, plus as many again at random. */
const watchTimeoutSeconds = 300;

/** API servers send a bookmark about every minute; a stream that is silent for longer may be half open and is reopened. */
const silenceMs = 90_000;

/** How long a stream may exceed its requested timeout. */
const deadlineGraceMs = 30_000;

/** A watch that ends sooner, without a new version, counts as a failure: otherwise a broken server would cause a tight loop. */
const shortestWatchMs = 1000;

/** After this long without a failure, the count of failures starts again. */
const forgivenAfterMs = 120_000;

/** Resolves when the signal aborts; never rejects. */
export async function runWatcher(options: WatcherOptions): Promise<void> {
  const { clock, random, log, signal } = options;
  let state: State = empty;
  let failures = 0;
  let failedAtMs = 0;
  let lastCode: KubeFailure['code'] | undefined;
  while (!signal.aborted) {
    options.onSignOfLife();
    const wasWatching = state.at === 'watching';
    const { state: next, failure } = await step(options, state);
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
    options.onFailure(failure.code);
    logFailure(log, failure, { next: state.at, failures, delayMs: Math.round(delayMs) });
    await sleep(clock, delayMs, signal);
  }
  if (state.at === 'watching') state.stream.close();
}

function logFailure(
  log: Logger,
  failure: KubeFailure,
  facts: { next: string; failures: number; delayMs: number },
): void {
  const fields = { code: failure.code, reason: failure.reason, detail: failure.detail, ...facts };
  const isNews = facts.failures === 1 && failure.code !== 'kube-gone';
  log[isNews ? 'warn' : 'debug'](fields, 'list or watch failed');
}

/** Returns the next state. Never rejects. */
async function step(options: WatcherOptions, state: State): Promise<Step> {
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

/** The state to continue from: requests the page again, or reopens the watch, unless the server no longer has the version. */
function afterFailure(state: State, failure: KubeFailure): State {
  if (state.at === 'watching') return failure.code === 'kube-gone' ? empty : listedAt(state.resourceVersion, false);
  const isTemporary = failure.code === 'kube-unreachable';
  if (state.at === 'listing') return isTemporary ? state : empty;
  return isTemporary || failure.code === 'kube-denied' ? state : empty;
}

function listedAt(resourceVersion: string, isSuspect: boolean): State {
  return { at: 'listed', resourceVersion, isSuspect };
}

/** A consistent read (without a resourceVersion), so that a list never goes back in time. */
async function listPage(options: WatcherOptions, continueToken: string | undefined): Promise<State> {
  const { transport, path, labelSelector, fieldSelector, pageSize, sink, signal } = options;
  if (continueToken === undefined) sink.startList();
  const query = queryOf({ limit: pageSize, continue: continueToken, labelSelector, fieldSelector });
  const page = decodePage(await transport.request<unknown>({ verb: 'list', path: `${path}${query}`, signal }));
  if (signal.aborted) return empty;
  for (const item of page.items) sink.put(item);
  if (page.continueToken !== undefined && page.continueToken === continueToken) {
    throw unreachable('the continue tokens of the list form a loop', { reason: 'BadAnswer' });
  }
  if (page.continueToken !== undefined) return { at: 'listing', continueToken: page.continueToken };
  sink.finishList();
  options.onListed();
  return listedAt(page.resourceVersion, false);
}

function decodePage(value: unknown): { items: readonly KubeObject[]; resourceVersion: string; continueToken?: string } {
  const { items, metadata } = objectOf(value);
  const { resourceVersion, continue: continueToken } = objectOf(metadata);
  if (!isString(resourceVersion) || !Array.isArray(items) || !items.every(isKubeObject)) {
    throw unreachable('the response is not a list of objects', { reason: 'BadAnswer' });
  }
  const page = { items, resourceVersion };
  return isNonEmptyString(continueToken) ? { ...page, continueToken } : page;
}

async function openWatch(options: WatcherOptions, state: State & { at: 'listed' }): Promise<State> {
  const { transport, clock, random, path, labelSelector, fieldSelector, signal } = options;
  const { resourceVersion, isSuspect } = state;
  const timeoutSeconds = Math.floor(watchTimeoutSeconds * (1 + random.next()));
  const selectors = { labelSelector, fieldSelector };
  const query = queryOf({ watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds, ...selectors });
  const openedAtMs = clock.monotonic();
  const stream = await transport.watch({ verb: 'watch', path: `${path}${query}`, signal });
  options.onWatching();
  const deadlineAtMs = openedAtMs + timeoutSeconds * 1000 + deadlineGraceMs;
  return { at: 'watching', stream, resourceVersion, isSuspect, hasBroughtAnything: false, openedAtMs, deadlineAtMs };
}

async function readEvents(options: WatcherOptions, state: State & { at: 'watching' }): Promise<Step> {
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

function afterEnd(state: Watching, nowMs: number): Step {
  const next = listedAt(state.resourceVersion, state.isSuspect);
  if (state.hasBroughtAnything || nowMs - state.openedAtMs >= shortestWatchMs) return { state: next };
  return { state: next, failure: unreachable('the watch ended immediately') };
}

/** Applies lines up to the first bad one. A new watch requests everything after it again, so nothing is lost. */
function applyLines(sink: WatcherSink, state: State & { at: 'watching' }, lines: readonly Buffer[]): Step {
  let { resourceVersion, isSuspect } = state;
  for (const line of lines) {
    const event = decodeWatchLine(line);
    if (event.type === 'ERROR' || event.type === 'unreadable') {
      state.stream.close();
      const failure = event.type === 'ERROR' ? event.error : unreachable(event.problem, { reason: 'BadAnswer' });
      const isLost = isSuspect || failure.code === 'kube-gone';
      return { state: isLost ? empty : listedAt(resourceVersion, true), failure };
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
