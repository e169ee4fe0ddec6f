// Once the faults end, every alert reaches its desired state, every policy reports that, and then nothing is written any more. Each
// connection is judged by its own policies; of opposite declarations of two connections Active prevails in the end. The oracle computes the desired state from the objects and the service's live state.
import type { SimAlert } from '../alerts/sim-alert.ts';
import type { ShownAlert } from '../alerts/sim-service.ts';
import type { SimAlertsService } from '../alerts/sim-service.ts';
import { alertKey, type DismissedAlert } from '../dismissed-alerts.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import { allConnections, connectionAt, connectionKeyOf, keyAnywhere } from '../kube/connection-keys.ts';
import type { StoredObject } from '../kube/object.ts';
import { keyOf } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
import type { World } from '../world.ts';
import { checkCounts } from './connection-counts.ts';
import { competesForOwnership, declarationOf, isSuspendedAt, originOf, type Say, scopeOf } from './declared.ts';
import { type Granted, grantedNow } from './granted.ts';
import { entriesOf, type Entry } from './ledger.ts';
import { longestGapMs } from './liveness.ts';
import type { Report } from './oracle.ts';
import { isOutdated, registerProblems, shownProblems } from './register.ts';
import { isRefused, mayPatch, usableByKey, usableConnection } from './usable.ts';

interface Claim {
  readonly policy: StoredObject;
  readonly say: Say;
  readonly isExplicit: boolean;
}

/** Reports alerts that are not in their desired state, policies that were not decided, and connections whose status is false. */
export function checkConvergence(world: World, report: Report): void {
  const policies = effectivePolicies(world);
  const contested = new Set<StoredObject>();
  for (const place of placesOf(world)) {
    checkAlert(place, policies, report);
    if (isContested(place, policies)) for (const { policy } of claimsOn(place, policies)) contested.add(policy);
  }
  for (const policy of policies) {
    const isSettling = contested.has(policy) || !mayPatch(world, connectionKeyOf(policy));
    checkDecided(policy, { nowMs: nowOf(world), isSettling }, report);
  }
  for (const connection of allConnections(world.api.store)) checkConnection(world, connection, report);
}

/** True while two connections declare opposite states of an alert: they write as often as their damping and back-offs allow. */
export function hasOppositeDeclarations(world: World): boolean {
  const policies = effectivePolicies(world);
  return placesOf(world).some((place) => isContested(place, policies));
}

/** Those whose connection works at their scope. */
function effectivePolicies(world: World): StoredObject[] {
  return world.api.store.list('rolealertpolicies').filter((policy) => isProven(world, policy));
}

function placesOf(world: World): Place[] {
  return world.services.flatMap((service) =>
    service
      .scopes()
      .filter((scope) => !isFailing(world, service, scope))
      .flatMap((scope) => (service.alertsOf(scope) ?? []).map((alert) => ({ world, service, scope, alert }))),
  );
}

interface Place {
  readonly world: World;
  readonly service: SimAlertsService;
  readonly scope: string;
  readonly alert: SimAlert;
}

function checkAlert(place: Place, policies: readonly StoredObject[], report: Report): void {
  const { scope, alert } = place;
  const owners = ownersOf(place, policies);
  const what = `${alert.name} of ${scope}`;
  const off = owners.find(({ say }) => say === 'Inactive' && alert.isActive);
  const on = owners.find(({ say }) => say === 'Active' && !alert.isActive);
  if (!isOpposed(owners) || !isJustChanged(place, owners)) {
    if (on) report(`${what} is not active, as ${keyOf(on.policy)} wants it`);
    if (off && !isExplained(off.policy, alert.name)) report(`${what} is active, and ${keyOf(off.policy)} dismissed it`);
  }
  if (!alert.isActive && isOperatorsToReactivate(place, policies))
    report(`${what} stays deactivated by the operator, and no policy of that connection declares it`);
}

function isContested(place: Place, policies: readonly StoredObject[]): boolean {
  return isOpposed(ownersOf(place, policies));
}

function isOpposed(owners: readonly Claim[]): boolean {
  return new Set(owners.map(({ say }) => say)).size > 1;
}

/** Within the time in which each side lists the scope again. */
function isJustChanged({ world, service, scope, alert }: Place, claims: readonly Claim[]): boolean {
  const changedMs = world.flagChanges.get(alertKey(service.origin, scope, alert.name)) ?? -Infinity;
  return world.time.nowMs - changedMs < Math.max(...claims.map(({ policy }) => longestGapMs(policy)));
}

/** The claims of all policies on the alert, in every mode. */
function claimsOn({ world, service, scope, alert }: Place, policies: readonly StoredObject[]): Claim[] {
  const nowMs = nowOf(world);
  return policies
    .filter((policy) => scopeOf(policy) === scope && originOf(connectionOf(world, policy)) === service.origin)
    .flatMap((policy) => grantedTo(world, policy) ?? [])
    .map(({ policy, connection }) => ({ policy, ...declarationOf(policy, connection, shownOf(alert), nowMs) }))
    .filter(({ say }) => say !== 'None');
}

/** The claim that counts for each connection that may change alerts: explicit beats unlisted, Active beats Inactive, then the oldest. */
function ownersOf(place: Place, policies: readonly StoredObject[]): Claim[] {
  const { world } = place;
  const competing = claimsOn(place, policies).filter(({ policy }) => competesForOwnership(policy, nowOf(world)));
  const byConnection = Map.groupBy(competing, ({ policy }) => connectionKeyOf(policy));
  return [...byConnection].flatMap(([connection, claims]) => {
    const first = mayPatch(world, connection) ? claims.toSorted(byPrecedence)[0] : undefined;
    return first ?? [];
  });
}

function byPrecedence(a: Claim, b: Claim): number {
  return (
    Number(b.isExplicit) - Number(a.isExplicit) ||
    Number(b.say === 'Active') - Number(a.say === 'Active') ||
    compareText(a.policy.metadata.creationTimestamp, b.policy.metadata.creationTimestamp) ||
    compareText(keyOf(a.policy), keyOf(b.policy))
  );
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** True when the status gives a reason for the missing deactivation. No valid claim contradicts it, so a conflict is none. */
function isExplained(policy: StoredObject, alert: string): boolean {
  const rows = ((policy.status ?? {})['alerts'] ?? []) as readonly Json[];
  const row = rows.find(({ name }) => String(name).toLowerCase() === alert.toLowerCase());
  return ['Held', 'Denied'].includes(String(row?.['result']));
}

function readyOf({ status = {} }: StoredObject): string[] {
  return ((status['conditions'] ?? []) as readonly Json[]).map(({ reason }) => String(reason));
}

/** Deactivated by one of our processes through a connection that still exists, and unchanged by others since. */
function isOperatorsToReactivate(place: Place, policies: readonly StoredObject[]): boolean {
  const { world, service, scope, alert } = place;
  const off = world.dismissed.get(alertKey(service.origin, scope, alert.name));
  if (!off || !isStillOurs(world, off)) return false;
  // Suspended or in Observe mode, a declaration that holds still keeps what it deactivated before.
  return !claimsOn(place, policies).some(
    ({ say, policy }) =>
      say === 'Inactive' &&
      connectionKeyOf(policy) === off.connection &&
      policy.metadata.deletionTimestamp === undefined,
  );
}

/** The connection that deactivated the alert can still be used. */
function isStillOurs(world: World, { connection, connectionUid, scope, origin }: DismissedAlert): boolean {
  if (connectionUid === undefined) return false;
  const object = connectionAt(world.api.store, connection);
  if (object?.metadata.uid === connectionUid) {
    const usable = usableByKey(world, connection);
    return usable !== undefined && originOf(usable) === origin
      ? !isRefused(world, usable, scope)
      : usable !== undefined;
  }
  // The oracle of the ledger judges how it went.
  return false;
}

/** `isSettling`: other clients undo its corrections, or the service refuses them. */
function checkDecided(
  policy: StoredObject,
  { nowMs, isSettling }: { readonly nowMs: number; readonly isSettling: boolean },
  report: Report,
): void {
  const { generation, deletionTimestamp } = policy.metadata;
  if (deletionTimestamp !== undefined || isSuspendedUndecided(policy, nowMs)) return;
  if (readyOf(policy).includes('Suspended') && !isSuspendedAt(policy, nowMs))
    report(`${keyOf(policy)} shows Suspended, and its suspension is over`);
  const status = policy.status ?? {};
  if (status['observedGeneration'] !== generation) {
    report(
      `${keyOf(policy)} was not decided: generation ${generation}, observed ${String(status['observedGeneration'])}`,
    );
  }
  const conditions = (status['conditions'] ?? []) as readonly Json[];
  const reconciling = conditions.find(({ type }) => type === 'Reconciling');
  if (reconciling && !isSettling) report(`${keyOf(policy)} is still reconciling: ${String(reconciling['reason'])}`);
}

/** A policy that was suspended before it was decided stays undecided, and its status shows that: InProgress. */
function isSuspendedUndecided(policy: StoredObject, nowMs: number): boolean {
  const conditions = ((policy.status ?? {})['conditions'] ?? []) as readonly Json[];
  const ready = conditions.find(({ type }) => type === 'Ready');
  return isSuspendedAt(policy, nowMs) && ready?.['status'] === 'Unknown' && ready['reason'] === 'Suspended';
}

/** What a connection says of itself, and every line of its ledger. */
function checkConnection(world: World, connection: StoredObject, report: Report): void {
  const key = keyAnywhere(connection);
  const usable = usableByKey(world, key);
  if (!usable || connection.metadata.deletionTimestamp !== undefined) return;
  const { status = {} } = connection;
  checkCounts(world, connection, report);
  const policies = world.api.store.list('rolealertpolicies').filter((policy) => connectionKeyOf(policy) === key);
  const isAsked = policies.some(
    (policy) =>
      !isSuspendedAt(policy, nowOf(world)) &&
      !isRefused(world, connection, scopeOf(policy)) &&
      grantedTo(world, policy) !== undefined,
  );
  const ready = ((status['conditions'] ?? []) as readonly Json[]).find(({ type }) => type === 'Ready');
  if (isAsked && ready?.['reason'] !== 'Connected' && world.lasting.all.length === 0)
    report(`${key} works and says ${String(ready?.['reason'])}`);
  if (isAsked && status['observedGeneration'] !== connection.metadata.generation)
    report(`${key} was not observed: generation ${connection.metadata.generation}`);
  for (const problem of registerProblems(connection)) report(`${key}: ${problem}`);
  for (const entry of entriesOf(connection)) checkEntry(world, connection, entry, report);
}

/** No entry names an active alert that no policy of its connection dismisses, or a policy that does not keep the alert inactive. */
function checkEntry(world: World, connection: StoredObject, entry: Entry, report: Report): void {
  const { scope, alert, policy } = entry;
  const service = world.services.find(({ origin }) => origin === originOf(connection));
  const live = service?.find(scope, alert);
  if (!service || !live || isRefused(world, connection, scope)) return;
  const what = `${keyAnywhere(connection)} keeps an entry of ${alert} of ${scope}`;
  const all = world.api.store.list('rolealertpolicies').filter((each) => each.metadata.deletionTimestamp === undefined);
  const dismissals = claimsOn({ world, service, scope: scope.toLowerCase(), alert: live }, all).filter(
    ({ say }) => say === 'Inactive',
  );
  const own = dismissals.filter((claim) => connectionKeyOf(claim.policy) === keyAnywhere(connection));
  // While a policy of this connection waits to deactivate it again, the entry may wait with it; and while others deactivate it, too.
  const isUndone = dismissals.length > 0 && isJustChanged({ world, service, scope, alert: live }, dismissals);
  if (live.isActive && own.length === 0 && !isUndone) report(`${what}, which is active`);
  if (!live.isActive && own.length > 0 && !own.some((claim) => keyOf(claim.policy) === policy))
    report(`${what} for ${policy}, which does not declare it`);
  if (live.isActive) return;
  const named = own.find((claim) => keyOf(claim.policy) === policy);
  if (named ?? own.length === 0)
    for (const problem of shownProblems(entry, named?.policy)) report(`${what} that ${problem}`);
  const off = world.dismissed.get(alertKey(service.origin, scope, alert));
  if (off?.connection === keyAnywhere(connection) && !world.hasWrongClocks && isOutdated(entry, off))
    report(`${what} since ${entry.since}, which is of an earlier deactivation`);
}

/** True for a scope on which the service fails for every connection: no policy can take effect there. */
function isFailing(world: World, { origin }: SimAlertsService, scope: string): boolean {
  return world.lasting.at(origin, scope, '').length > 0;
}

/** Its connection can be used, and the service does not refuse the scope to it. */
function isProven(world: World, policy: StoredObject): boolean {
  const connection = usableConnection(world, policy);
  return connection !== undefined && !isRefused(world, connection, scopeOf(policy));
}

/** What its connection leaves of the policy. */
function grantedTo(world: World, policy: StoredObject): Granted | undefined {
  const connection = connectionOf(world, policy);
  return connection && grantedNow(world, policy, connection);
}

function connectionOf(world: World, policy: StoredObject): StoredObject | undefined {
  return connectionAt(world.api.store, connectionKeyOf(policy));
}

function shownOf({ name, isActive, severity, incidents, hiddenIncidents }: SimAlert): ShownAlert {
  const ids = incidents.map(({ id }) => id.toLowerCase());
  return { name, isActive, severity, incidents: ids, incidentCount: ids.length + hiddenIncidents };
}

/** Milliseconds since 1970. */
function nowOf({ time }: World): number {
  return startOfTimeMs + time.nowMs;
}
