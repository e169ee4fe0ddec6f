// The states of a watcher, and where it continues after a failure or the end of a watch. Pure.
import type { KubeFailure } from './kube-error.ts';
import { unreachable } from './status-error.ts';
import type { WatchStream } from './watch-stream.ts';

export type WatcherState =
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
export interface WatcherStep {
  readonly state: WatcherState;
  readonly failure?: KubeFailure;
}

export const emptyState: WatcherState = { at: 'empty' };

/** A watch that ends sooner, without a new version, counts as a failure: otherwise a broken server would cause a tight loop. */
const shortestWatchMs = 1000;

/**
 * The state to continue from: requests the page again, or reopens the watch, unless the server no longer has the version or refuses the
 * request. After a refusal the objects may have changed unseen for long, so they are listed again.
 */
export function afterFailure(state: WatcherState, failure: KubeFailure): WatcherState {
  if (state.at === 'watching')
    return failure.code === 'kube-gone' ? emptyState : listedAt(state.resourceVersion, false);
  const isTemporary = failure.code === 'kube-unreachable';
  return isTemporary ? state : emptyState;
}

/** The state in which the next step opens a watch from this version. */
export function listedAt(resourceVersion: string, isSuspect: boolean): WatcherState {
  return { at: 'listed', resourceVersion, isSuspect };
}

/** After the server ended the watch: a new watch from the same version. */
export function afterEnd(state: Watching, nowMs: number): WatcherStep {
  const next = listedAt(state.resourceVersion, state.isSuspect);
  if (state.hasBroughtAnything || nowMs - state.openedAtMs >= shortestWatchMs) return { state: next };
  return { state: next, failure: unreachable('the watch ended immediately') };
}
