// Every status states facts. Checked against the object, the requests and the rules of kstatus, not with the operator's code.
import { isDeepStrictEqual } from 'node:util';

import { kstatusOf } from '../../support/checks/kstatus.ts';
import { callersOf, keyOfCaller } from '../alerts/callers.ts';
import type { ShownAlert } from '../alerts/sim-service.ts';
import type { SimRequest } from '../engine/types.ts';
import { connectionAt, connectionKeyOf, connectionPlurals } from '../kube/connection-keys.ts';
import type { StoredObject } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
import type { World } from '../world.ts';
import { declarationOf, originOf, scopeOf, suspensionEndOf } from './declared.ts';
import { grantedNow } from './granted.ts';
import { rememberPrevious, SpecHistory } from './history.ts';
import { SeenLists } from './lists.ts';
import type { Oracle } from './oracle.ts';

/** What a bound or a suspension says may be judged either way, when it ends or the clock is set within this time of the write. */
const nearMs = 90_000;
/** The longest time between the list and the last try to write its status. */
const repeatedMs = 10_000;

export const statusOracle: Oracle = {
  name: 'a status says only what is so',
  watch(world, report) {
    const facts = { world, lists: new SeenLists(world), connections: new SpecHistory(world, ...connectionPlurals) };
    const corrected = new Map<string, number>();
    world.judges.push(({ isActive, caller, scope, atMs }) => {
      if (isActive === undefined || caller === undefined) return undefined;
      return () => void corrected.set(`${keyOfCaller(caller)} ${scope.toLowerCase()}`, atMs);
    });
    const listed = new Map<string, number>();
    world.onCall(({ kind, caller, scope, status, atMs }) => {
      if (kind === 'list' && caller !== undefined && status === 200)
        listed.set(`${keyOfCaller(caller)} ${scope.toLowerCase()}`, atMs);
    });
    // The operator may decide against a PATCH in the tick of its send. The read that confirms a PATCH comes before it, so it counts, too.
    world.onExchange.push(({ request, outcome, endedAtMs }) => {
      const [, namespace, name] = /\/namespaces\/([^/]+)\/rolealertpolicies\/([^/?]+)$/.exec(request.path) ?? [];
      const policy = world.api.store.get('rolealertpolicies', `${namespace}/${name}`);
      if (request.method === 'GET' && outcome === 200 && policy)
        corrected.set(`${connectionKeyOf(policy)} ${scopeOf(policy)}`, endedAtMs);
    });
    const before = rememberPrevious(world, 'rolealertpolicies');
    world.api.onWrite.push((request, { resource, isStatus }, object) => {
      if (resource.plural !== 'rolealertpolicies' || !isStatus) return;
      const untrue = changeProblem(before.get(nameOf(object)), object);
      if (untrue !== undefined) report(`${nameOf(object)}: ${untrue}`);
      const key = `${connectionKeyOf(object)} ${scopeOf(object)}`;
      const sentMs = corrected.get(key) ?? -Infinity;
      // Without a list, as in a long pause, what the last one showed remains the state.
      const listedMs = listed.get(key) ?? request.sentAtMs;
      if (reasonOf(object) === 'VerifyingWrite' && listedMs - sentMs > verifyingMs)
        report(`${nameOf(object)}: VerifyingWrite, and its connection sent nothing`);
      for (const problem of problemsOf(facts, request, object)) report(`${nameOf(object)}: ${problem}`);
    });
  },
};

/** How long after a PATCH a list may show it as VerifyingWrite: a write is open for two minutes, and then repeated. */
const verifyingMs = 600_000;

function reasonOf({ status = {} }: StoredObject): string {
  const conditions = (status['conditions'] ?? []) as readonly Json[];
  return String(conditions.find(({ type }) => type === 'Ready')?.['reason']);
}

/** The problem of a change from one status to the next; undefined for a valid one. */
function changeProblem(before: StoredObject | undefined, { metadata, status = {} }: StoredObject): string | undefined {
  const conditions = (status['conditions'] ?? []) as readonly Json[];
  const ready = conditions.find(({ type }) => type === 'Ready');
  const isNew = before?.metadata.uid !== metadata.uid || Number(before.status?.['observedGeneration'] ?? -1) < 0;
  const observed = Number(status['observedGeneration'] ?? -1);
  if (Number(ready?.['observedGeneration'] ?? observed) < observed)
    return 'Ready is of an older generation than what was observed';
  // A verified correction is recorded whatever the spec is by now.
  const isCorrected = !isDeepStrictEqual(status['history'], before?.status?.['history']);
  if (!isNew && !isCorrected && observed < Number(before.status?.['observedGeneration']))
    return `generation ${observed} was observed after a newer one`;
  const isHandled = status['lastHandledReconcileAt'] !== before?.status?.['lastHandledReconcileAt'];
  if (isHandled && failures.has(String(ready?.['reason'])))
    return `a request was handled by a reconcile that failed: ${String(ready?.['reason'])}`;
  return undefined;
}

/** Reasons of a failed list. The operator repeats it unasked, so a reconcile request that it answered is not handled yet. */
const failures = new Set(['ConnectionNotReady', 'ProtocolError', 'ListTooLarge', 'UnsafeNextLink', 'InternalError']);

interface Facts {
  readonly world: World;
  readonly lists: SeenLists;
  readonly connections: SpecHistory;
}

function problemsOf(facts: Facts, request: SimRequest, object: StoredObject): string[] {
  const conditions = ((object.status ?? {})['conditions'] ?? []) as readonly Json[];
  const types = new Set(conditions.map(({ type }) => type));
  const ready = conditions.find(({ type }) => type === 'Ready');
  const isCurrent = kstatusOf(object as unknown as Parameters<typeof kstatusOf>[0]) === 'Current';
  const problems: string[] = [];
  if (types.has('Reconciling') && types.has('Stalled')) problems.push('Reconciling and Stalled at once');
  if (conditions.some(({ type, status }) => (type === 'Stalled' || type === 'Reconciling') && status !== 'True')) {
    problems.push('an abnormal condition that is not True');
  }
  if (isCurrent && ready?.['status'] !== 'True') problems.push('Current and not Ready');
  // While the connection is throttled, the last value stays.
  const isLooking = conditions.some(({ type, status }) => type === 'ConnectionReady' && status === 'True');
  if (isCurrent && isLooking && ready?.['reason'] === 'Succeeded')
    problems.push(...disagreements(facts, request, object));
  return [...problems, ...pastSuspension(facts, request, object)];
}

/** Suspended by a spec whose suspension was over when the status was sent. */
function pastSuspension({ world }: Facts, { process }: SimRequest, object: StoredObject): string[] {
  const conditions = ((object.status ?? {})['conditions'] ?? []) as readonly Json[];
  const ready = conditions.find(({ type }) => type === 'Ready');
  const isOfThisSpec = ready?.['observedGeneration'] === object.metadata.generation;
  const nowMs = world.clockOf(process)?.now() ?? 0;
  const isOver = nowMs > (suspensionEndOf(object) ?? Infinity) + nearMs && !world.hasWrongClocks;
  return isOver && isOfThisSpec && ready?.['reason'] === 'Suspended' ? ['Suspended, and the suspension is over'] : [];
}

/** Ready=True/Succeeded: every declared alert was as declared in the last whole list. */
function disagreements(facts: Facts, request: SimRequest, object: StoredObject): string[] {
  const key = connectionKeyOf(object);
  const connection = connectionAt(facts.world.api.store, key);
  const now = connection && grantedNow(facts.world, object, connection);
  if (!now) return [];
  const seen = lastList(facts, request, key, scopeOf(object));
  if (!seen) return ['Succeeded without a whole list'];
  const nowMs = facts.world.clockOf(request.process)?.now() ?? 0;
  const wasStepped = facts.world.sinceClockStepMs < nearMs;
  return ((object.spec?.['alerts'] ?? []) as readonly Json[]).flatMap((line) => {
    const shown = seen.find((alert) => alert.name.toLowerCase() === String(line['name']).toLowerCase());
    if (!shown) return line['state'] === 'Active' ? [`Succeeded, and ${String(line['name'])} is not in the list`] : [];
    const { say, untilMs } = declarationOf(now.policy, now.connection, shown, nowMs);
    const isNear = untilMs !== undefined && Math.abs(untilMs - nowMs) < nearMs;
    if (isNear || line['state'] === 'Inactive')
      return shown.isActive && say === 'Inactive' && !isNear && !wasStepped
        ? [`Succeeded, and ${shown.name} is active`]
        : [];
    return shown.isActive ? [] : [`Succeeded, and ${shown.name} is inactive`];
  });
}

/**
 * The newest list that the process received through the connection before it sent the status. The connection's address is the one that
 * the process knew: an edit of the endpoint counts once a list or a watch has delivered it.
 */
function lastList(
  { world, lists, connections }: Facts,
  { process, sentAtMs }: SimRequest,
  connection: string,
  scope: string,
): readonly ShownAlert[] | undefined {
  // After a conflict, a status is sent again that rests on what the process knew before.
  const origins = [sentAtMs, sentAtMs - repeatedMs].flatMap((atMs) => {
    const cached = world.knowledge.cachedConnection(process, connection, atMs);
    return connections.believable(connection, cached, atMs).map((version) => originOf(version) ?? '');
  });
  // A connection that was created again under the same name may authenticate differently, which the process may not know yet.
  return lists.newestAt(sentAtMs, callersOf(connection), { process, scope, origins });
}

function nameOf({ metadata }: StoredObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}
