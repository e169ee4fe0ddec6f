// A status does not present observations as current for more than three intervals: a policy is Stale by then, also while the service throttles its connection
// for longer. Judged only where nothing but the pause holds its process back.
import { keyOfCaller } from '../alerts/callers.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import type { SimExchange } from '../engine/types.ts';
import { connectionKeyOf, pluralOfKey, storeKey } from '../kube/connection-keys.ts';
import { keyOf, type StoredObject } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
import { kubeOrigin } from '../replica.ts';
import type { World } from '../world.ts';
import { askedToWaitMs } from './budget.ts';
import { isSuspendedAt, suspensionEndOf } from './declared.ts';
import { intervalOf } from './liveness.ts';
import type { Oracle } from './oracle.ts';

const staleIntervals = 3;
/** A list that was in progress when the pause began, and the write of the status. */
const slackMs = 60_000;
/** A process that works asks the API server for its Lease this often at least. */
const silentMs = 15_000;

export const stalenessOracle: Oracle = {
  name: 'a status is Stale after three intervals within a pause',
  watch(world, report) {
    const pauses = new Map<string, Pause>();
    const changedAt = rememberChanges(world);
    const troubledAt = rememberTroubles(world);
    world.onExchange.push((exchange) => {
      const { process } = exchange.request;
      notePause(world, pauses, exchange);
      const pausing = [...pauses.values()].filter((pause) => pause.process === process);
      for (const pause of pausing) {
        const facts = { world, pause, changedAt, troubledMs: troubledAt.get(process) ?? 0 };
        for (const policy of staleIn(facts)) {
          report(`${keyOf(policy)} is Ready ${Math.round((world.time.nowMs - pause.sinceMs) / 1000)} s into a pause`);
          pauses.delete(`${pause.process} ${pause.connection}`);
        }
      }
    });
  },
};

interface Pause {
  readonly process: string;
  /** `namespace/name`. */
  readonly connection: string;
  readonly sinceMs: number;
  readonly untilMs: number;
}

const longestMs = 3_600_000;

function notePause(world: World, pauses: Map<string, Pause>, exchange: SimExchange): void {
  const { request, outcome, endedAtMs } = exchange;
  for (const [key, { untilMs }] of pauses) if (untilMs <= world.time.nowMs) pauses.delete(key);
  const waitMs = Math.min(askedToWaitMs(exchange), longestMs);
  const caller = world.service.accounts.callerOf(request.headers, world.time.nowMs);
  if (request.origin === kubeOrigin || caller === undefined || waitMs === 0) return;
  if (outcome !== 429 && outcome !== 503) return;
  const connection = keyOfCaller(caller);
  const key = `${request.process} ${connection}`;
  const { sinceMs, untilMs } = pauses.get(key) ?? { sinceMs: endedAtMs, untilMs: 0 };
  pauses.set(key, { process: request.process, connection, sinceMs, untilMs: Math.max(untilMs, endedAtMs + waitMs) });
}

/** By plural and key: when what a person writes last changed, or the object came or went. */
function rememberChanges(world: World): ReadonlyMap<string, number> {
  const changedAt = new Map<string, number>();
  world.api.store.onChange(({ plural, type, object, previous }) => {
    const { generation, deletionTimestamp } = object.metadata;
    const isSame = generation === previous?.metadata.generation && deletionTimestamp === undefined;
    if (type !== 'MODIFIED' || !isSame) changedAt.set(`${plural} ${keyOf(object)}`, world.time.nowMs);
  });
  return changedAt;
}

/** When a process last failed to reach the API server, or did not try: only then its statuses may be behind for another reason. */
function rememberTroubles(world: World): ReadonlyMap<string, number> {
  const troubledAt = new Map<string, number>();
  const triedAt = new Map<string, number>();
  world.onExchange.push(({ request: { process, origin }, outcome, endedAtMs }) => {
    if (origin !== kubeOrigin) return;
    const isWell = typeof outcome === 'number' && outcome < 300;
    if (!isWell || endedAtMs - (triedAt.get(process) ?? -Infinity) > silentMs) troubledAt.set(process, endedAtMs);
    triedAt.set(process, endedAtMs);
  });
  return troubledAt;
}

interface Facts {
  readonly world: World;
  readonly pause: Pause;
  readonly changedAt: ReadonlyMap<string, number>;
  readonly troubledMs: number;
}

function staleIn({ world, pause, changedAt, troubledMs }: Facts): StoredObject[] {
  if (world.hasWrongClocks || world.replicas.some(({ isLogFull }) => isLogFull)) return [];
  const connectionMs = changedAt.get(`${pluralOfKey(pause.connection)} ${storeKey(pause.connection)}`) ?? 0;
  return world.api.store.list('rolealertpolicies').filter((policy) => {
    if (connectionKeyOf(policy) !== pause.connection || !isReady(policy, startOfTimeMs + world.time.nowMs))
      return false;
    const resumedMs = (suspensionEndOf(policy) ?? startOfTimeMs) - startOfTimeMs;
    const policyMs = Math.max(changedAt.get(`rolealertpolicies ${keyOf(policy)}`) ?? 0, resumedMs);
    const sinceMs = Math.max(pause.sinceMs, connectionMs, policyMs) + staleIntervals * intervalOf(policy);
    return world.time.nowMs > Math.max(sinceMs, troubledMs) + slackMs;
  });
}

function isReady(policy: StoredObject, nowMs: number): boolean {
  const conditions = ((policy.status ?? {})['conditions'] ?? []) as readonly Json[];
  const ready = conditions.find(({ type }) => type === 'Ready');
  const isWatched = !isSuspendedAt(policy, nowMs) && policy.metadata.deletionTimestamp === undefined;
  return isWatched && ready?.['status'] === 'True';
}
