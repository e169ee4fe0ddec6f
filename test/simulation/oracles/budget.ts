// The requests of a connection never exceed its rate limiter, none goes out while the service asked to wait, and none ever to
// another host.
import { keyOfCaller } from '../alerts/callers.ts';
import { isUnconnected, type SimExchange } from '../engine/types.ts';
import { foreignOrigin } from '../faults/service-faults.ts';
import { connectionPlurals, keyAnywhere } from '../kube/connection-keys.ts';
import type { StoredObject } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
import { otherOrigin, serviceOrigin, type World } from '../world.ts';
import { SpecHistory } from './history.ts';
import type { Oracle } from './oracle.ts';

interface Bucket {
  tokens: number;
  atMs: number;
}

export const budgetOracle: Oracle = {
  name: 'never more requests than the rate limit',
  watch(world, report) {
    const connections = new SpecHistory(world, ...connectionPlurals);
    const buckets = new Map<string, Bucket>();
    world.onCall(({ kind, process, caller, sentAtMs }) => {
      if (caller === undefined || (kind !== 'list' && kind !== 'patch')) return;
      const limits = limitsOf(connections.during(0, sentAtMs, keyOfCaller(caller)));
      const key = `${process} ${caller}`;
      const bucket = buckets.get(key) ?? { tokens: limits.burst, atMs: 0 };
      // Requests arrive in another order than they were sent.
      const passedMs = Math.max(sentAtMs - bucket.atMs, 0);
      const tokens = Math.min(limits.burst, bucket.tokens + (passedMs * limits.perHour) / 3_600_000) - 1;
      buckets.set(key, { tokens, atMs: Math.max(sentAtMs, bucket.atMs) });
      // What was reserved for deactivations may be spent later: half of the burst is allowed.
      if (tokens < -1 - limits.burst / 2)
        report(`${process} is ${Math.round(-tokens)} requests over the rate limit of ${caller}`);
    });
  },
};

/** The most that any of the versions allowed. */
function limitsOf(versions: readonly { readonly object: StoredObject }[]): { perHour: number; burst: number } {
  const all = versions.map(({ object: { spec = {} } }) => (spec['limits'] ?? {}) as Json);
  return {
    perHour: Math.max(...all.map((limits) => Number(limits['requestsPerHour'] ?? 0))),
    burst: Math.max(...all.map((limits) => Number(limits['burst'] ?? 0))),
  };
}

export const retryAfterOracle: Oracle = {
  name: 'no request while the service asked to wait',
  watch(world, report) {
    const pausedUntil = new Map<string, number>();
    const pausedSince = new Map<string, number>();
    const longestMs = 3_600_000;
    // Made anew, a connection is another one, also while what the one before deactivated is being activated.
    const leftBehind = new Set<string>();
    const created = new Map<string, number[]>();
    world.api.store.onChange(({ plural, type, object }) => {
      if (!connectionPlurals.includes(plural) || type === 'MODIFIED') return;
      pausedUntil.clear();
      const versions = created.get(keyAnywhere(object)) ?? [];
      if (type === 'ADDED') created.set(keyAnywhere(object), [...versions, Number(object.metadata.resourceVersion)]);
      if (type === 'DELETED') for (const scope of scopesOfLedger(object)) leftBehind.add(scope);
    });
    world.onExchange.push((exchange) => {
      const { request, outcome, endedAtMs } = exchange;
      if (request.origin === foreignOrigin) report(`${request.process} talked to ${request.origin}`);
      if (![serviceOrigin, otherOrigin].includes(request.origin) || request.path === '/token') return;
      if (outcome === 'not sent' || isUnconnected(exchange.fate)) return;
      const key = `${request.process} ${request.headers['authorization']}`;
      const untilMs = pausedUntil.get(key) ?? -Infinity;
      const isTooEarly = request.sentAtMs < untilMs && request.sentAtMs > sinceOf(pausedSince, key);
      const isOfAnother = () => hasLearned(world, created, request, pausedSince.get(key) ?? 0);
      if (isTooEarly && !leftBehind.has(scopeOf(request.path)) && !isOfAnother()) {
        report(`${request.process} sent ${request.method} ${Math.round(untilMs - request.sentAtMs)} ms too early`);
      }
      const waitMs = Math.min(askedToWaitMs(exchange), longestMs);
      if (outcome !== 429 && !(outcome === 503 && waitMs > 0)) return;
      if (endedAtMs + waitMs <= untilMs) return;
      pausedUntil.set(key, endedAtMs + waitMs);
      pausedSince.set(key, endedAtMs);
    });
  },
};

/** True when a list or a watch has brought the process a connection that was re-created, since the service asked it to wait. */
function hasLearned(
  { knowledge }: World,
  created: ReadonlyMap<string, readonly number[]>,
  { process, sentAtMs }: SimExchange['request'],
  sinceMs: number,
): boolean {
  return [...created].some(([key, versions]) => {
    const before = knowledge.cachedConnection(process, key, sinceMs)?.version ?? 0;
    const now = knowledge.cachedConnection(process, key, sentAtMs)?.version ?? 0;
    return versions.some((version) => before < version && now >= version);
  });
}

/** Where a deleted connection may still activate what it deactivated, with a rate limiter of its own. */
function scopesOfLedger({ status = {} }: StoredObject): string[] {
  return ((status['dismissals'] ?? []) as readonly { readonly scope: string }[]).map(({ scope }) =>
    scope.toLowerCase(),
  );
}

/** The request names no connection, only its scope: `/{scope}/providers/…`. */
function scopeOf(path: string): string {
  return path.slice(1).split('/providers/')[0]?.toLowerCase() ?? '';
}

function sinceOf(since: ReadonlyMap<string, number>, key: string): number {
  return since.get(key) ?? Infinity;
}

/** Only what is plainly written: seconds, from 1. */
export function askedToWaitMs({ answerHeaders }: SimExchange): number {
  const text = answerHeaders?.['retry-after'] ?? '';
  return /^[0-9]{1,6}$/.test(text) ? Number(text) * 1000 : 0;
}
