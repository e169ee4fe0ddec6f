// Once the faults end, every alert reaches its desired state, every policy reports that, and then nothing is
// written any more. The oracle computes the desired state from the objects and the service's live state.
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
import type { Report } from './oracle.ts';
import { isOutdated, registerProblems, shownProblems } from './register.ts';
import { isRefused, isUsable, usableByKey, usableConnection } from './usable.ts';

interface Claim {
  readonly policy: StoredObject;
  readonly say: Say;
  readonly isExplicit: boolean;
}

/** Reports alerts that are not in their desired state, policies that were not decided, and connections whose status is false. */
export function checkConvergence(world: World, report: Report): void {
  const policies = world.api.store.list('rolealertpolicies').filter((policy) => isProven(world, policy));
  for (const service of world.services) {
    for (const scope of service.scopes().filter((name) => !isFailing(world, service, name))) {
      for (const alert of service.alertsOf(scope) ?? []) checkAlert({ world, service, scope, alert }, policies, report);
    }
  }
  for (const policy of policies) checkDecided(policy, nowOf(world), report);
  for (const connection of allConnections(world.api.store)) checkConnection(world, connection, report);
}

interface Place {
  readonly world: World;
  readonly service: SimAlertsService;
  readonly scope: string;
  readonly alert: SimAlert;
}

function checkAlert(place: Place, policies: readonly StoredObject[], report: Report): void {
  const { world, scope, alert } = place;
  const claims = claimsOn(place, policies).filter(({ policy }) => competesForOwnership(policy, nowOf(world)));
  const owner = ownerOf(claims);
  const what = `${alert.name} of ${scope}`;
  if (owner?.say === 'Active' && !alert.isActive) report(`${what} is not active, as ${keyOf(owner.policy)} wants it`);
  if (owner?.say === 'Inactive' && alert.isActive && !isExplained(owner.policy, alert.name)) {
    report(`${what} is active, and ${keyOf(owner.policy)} dismissed it`);
  }
  if (!alert.isActive && owner?.say !== 'Inactive' && isOursToReactivate(place, policies)) {
    report(`${what} stays deactivated by the operator, and no policy declares that`);
  }
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

/** Active wins across connections. Within one, explicit beats unlisted, Active beats Inactive, then the oldest. */
function ownerOf(claims: readonly Claim[]): Claim | undefined {
  const connections = new Set(claims.map(({ policy }) => connectionKeyOf(policy)));
  const owners = [...connections].flatMap((key) => {
    const [first] = claims.filter(({ policy }) => connectionKeyOf(policy) === key).sort(byPrecedence);
    return first ?? [];
  });
  return owners.find(({ say }) => say === 'Active') ?? owners.sort(byPrecedence)[0];
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
  const isHeld = ['Held', 'Denied'].includes(String(row?.['result']));
  return isHeld && !readyOf(policy).some((reason) => ['WaitingForClaims'].includes(reason));
}

function readyOf({ status = {} }: StoredObject): string[] {
  return ((status['conditions'] ?? []) as readonly Json[]).map(({ reason }) => String(reason));
}

/** Deactivated by one of our processes through a connection that still exists, and unchanged by others since. */
function isOursToReactivate(place: Place, policies: readonly StoredObject[]): boolean {
  const { world, service, scope, alert } = place;
  const off = world.dismissed.get(alertKey(service.origin, scope, alert.name));
  if (!off || !isStillOurs(world, off)) return false;
  // Suspended or in Observe mode, a declaration that holds still keeps what it deactivated before.
  return !claimsOn(place, policies).some(
    ({ say, policy }) => say === 'Inactive' && policy.metadata.deletionTimestamp === undefined,
  );
}

/** The connection that deactivated the alert can still be used, or was deleted while a process ran that still runs. */
function isStillOurs(world: World, { connection, connectionUid, scope, origin }: DismissedAlert): boolean {
  if (connectionUid === undefined) return false;
  const object = connectionAt(world.api.store, connection);
  if (object?.metadata.uid === connectionUid) {
    const usable = usableByKey(world, connection);
    return usable !== undefined && originOf(usable) === origin
      ? !isRefused(world, usable, scope)
      : usable !== undefined;
  }
  const deleted = world.deletions.reactivationDueOf(connectionUid);
  // The credential may be deleted as well, or replaced by that of a new connection. Then no activation can be sent.
  return deleted !== undefined && isUsable(world, deleted) && world.lasting.at(origin, scope, connection).length === 0;
}

function checkDecided(policy: StoredObject, nowMs: number, report: Report): void {
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
  if (reconciling) report(`${keyOf(policy)} is still reconciling: ${String(reconciling['reason'])}`);
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
  // While a policy of this connection waits to deactivate it again, the entry may wait with it. One of another connection enters its
  // deactivation into its own ledger.
  if (live.isActive && own.length === 0) report(`${what}, which is active`);
  // An entry may name a policy of any connection to the service, for as long as that keeps the alert inactive.
  const keeping = dismissals.filter(
    (claim) =>
      own.includes(claim) || (competesForOwnership(claim.policy, nowOf(world)) && isProven(world, claim.policy)),
  );
  if (!live.isActive && own.length > 0 && !keeping.some((claim) => keyOf(claim.policy) === policy))
    report(`${what} for ${policy}, which does not declare it`);
  if (live.isActive) return;
  const named = keeping.find((claim) => keyOf(claim.policy) === policy);
  if (named ?? dismissals.length === 0)
    for (const problem of shownProblems(entry, named?.policy, named !== undefined && own.includes(named)))
      report(`${what} that ${problem}`);
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
