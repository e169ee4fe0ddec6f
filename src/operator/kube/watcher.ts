// Follows one collection until it is stopped, after kube-rs' watcher and client-go's reflector. `stepWatcher` is the only state transition:
//
//   empty ──first page──▶ listing ──last page──▶ listed ──accepted──▶ watching ─┐
//     ▲                      │ refusal             │ refusal       ▲      │ ▲    │ events, bookmarks
//     └──────────────────────┴─────────────────────┘               │      │ └────┘
//     ▲                                                            └──────┤ end, silence, reset
//     └───────────────────────────────────────────────────────────────────┘ 410, a bad line
//
// A refusal is any status but a temporary one: 401, 403, 404, 410 and the like. A failure never ends it: it backs off (`backoffMs`) and continues from a safe state. It stores no objects.
import { sleep } from '../../lib/clock.ts';
import { backoffMs } from './backoff.ts';
import type { KubeFailure } from './kube-error.ts';
import { emptyState, stepWatcher, type WatcherOptions, type WatcherState } from './watcher-step.ts';

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
