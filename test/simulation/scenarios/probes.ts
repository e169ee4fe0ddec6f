// Probes the operator once everything works again: a user edits one policy of each connection while the others have as much
// to do as there is, and the first list of that scope has to be sent soon.
import { keyOfCaller } from '../alerts/callers.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import { connectionKeyOf } from '../kube/connection-keys.ts';
import type { Json } from '../kube/spec-rules.ts';
import { isSuspendedAt, originOf, scopeOf } from '../oracles/declared.ts';
import { grantedNow } from '../oracles/granted.ts';
import type { Report } from '../oracles/oracle.ts';
import { isRefused, usableConnection } from '../oracles/usable.ts';
import { attempt, type Generators } from './generators.ts';

/** The lowest rate limit allows a request every fifteen seconds, and eight may be ahead: in flight, or in the batch of another scope. */
const servedWithinMs = 120_000;

interface Edit {
  readonly connection: string;
  readonly scope: string;
  /** When it was made, or when a replica began to lead after that: only then can it be served. */
  atMs: number;
  /** Of the policy and of its connection. */
  readonly uids: readonly string[];
  servedAtMs?: number;
  /** When one of them was deleted: since then there is nothing to list for. */
  goneAtMs?: number;
}

/** Makes the edits now, and reports later which were not served in time. */
export function probeEdits(generators: Generators): (report: Report) => void {
  const edits: Edit[] = [];
  generators.world.judges.push(({ kind, caller, scope, atMs }) => {
    const edit = edits.find(
      (each) => kind === 'list' && each.connection === keyOfCaller(caller ?? '') && each.scope === scope.toLowerCase(),
    );
    return edit && edit.servedAtMs === undefined ? () => void (edit.servedAtMs ??= atMs) : undefined;
  });
  generators.world.api.store.onChange(({ type, object }) => {
    if (type !== 'DELETED') return;
    for (const edit of edits)
      if (edit.uids.includes(object.metadata.uid)) edit.goneAtMs ??= generators.world.time.nowMs;
  });
  let holder: unknown;
  generators.world.api.onWrite.push(({ atMs }, { resource }, { spec = {} }) => {
    if (resource.plural !== 'leases' || spec['holderIdentity'] === holder) return;
    holder = spec['holderIdentity'];
    for (const edit of edits) if (edit.servedAtMs === undefined) edit.atMs = atMs;
  });
  loadScope(generators);
  generators.world.time.schedule(10_000, () => edits.push(...editOneEach(generators)));
  return (report) => {
    for (const { connection, scope, atMs, servedAtMs, goneAtMs } of edits) {
      const tookMs = Math.min(servedAtMs ?? Infinity, goneAtMs ?? Infinity, generators.world.time.nowMs) - atMs;
      if (tookMs > servedWithinMs)
        report(`${scope} of ${connection} was edited and listed ${Math.round(tookMs / 1000)} s later`);
    }
  };
}

/** Every alert of the first scope drifts, and a policy guards them all. */
function loadScope({ world, place, traits }: Generators): void {
  const [scope = ''] = place.scopes;
  if ((traits?.alerts ?? 0) <= 4) return;
  for (const { name } of world.service.alertsOf(scope) ?? []) world.service.turn(scope, name, false, 'User');
  const spec = {
    connectionRef: { name: 'prod' },
    scope,
    interval: place.intervals[0],
    unlisted: { state: 'Active', minSeverity: 'Low' },
  };
  const { api } = world;
  const sent = { metadata: { name: 'guarding' }, spec };
  attempt(() => api.writes.create(api.resource('rolealertpolicies'), 'team-a', sent));
}

function editOneEach({ world, place }: Generators): Edit[] {
  const edits: Edit[] = [];
  const [first = ''] = place.scopes;
  const [one, other] = place.intervals;
  for (const policy of world.api.store.list('rolealertpolicies')) {
    const connection = usableConnection(world, policy);
    const [scope, key] = [scopeOf(policy), connectionKeyOf(policy)];
    if (!connection || !grantedNow(world, policy, connection)) continue;
    if (scope === first.toLowerCase() || edits.some((edit) => edit.connection === key)) continue;
    const service = world.services.find(({ origin }) => origin === originOf(connection));
    if (!service?.alertsOf(scope) || isRefused(world, connection, scope) || isPaused(world)) continue;
    if (isSuspendedAt(policy, startOfTimeMs + world.time.nowMs)) continue;
    if (policy.metadata.deletionTimestamp !== undefined) continue;
    const interval = policy.spec?.['interval'] === one ? other : one;
    const { api } = world;
    const { namespace, name } = policy.metadata;
    const patch = { spec: { interval } satisfies Json };
    if (!attempt(() => api.writes.mergePatch(api.resource('rolealertpolicies'), namespace, name, patch))) continue;
    const uids = [policy.metadata.uid, connection.metadata.uid];
    edits.push({ connection: key, scope, atMs: world.time.nowMs, uids });
  }
  return edits;
}

/** A service that asks to wait for good is obeyed by every scope of the connection. */
function isPaused({ lasting }: Generators['world']): boolean {
  return lasting.all.length > 0;
}
