// Oracle 1: once nothing goes wrong any more, every alert becomes as it is wanted, every policy says so, and then nothing is
// written any more. What is wanted is worked out here from the objects and the service's own truth.
import type { SimAlert } from '../alerts/sim-alert.ts';
import type { ShownAlert } from '../alerts/sim-service.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import type { StoredObject } from '../kube/object.ts';
import { keyOf } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
import type { World } from '../world.ts';
import { connectionKeyOf, declarationOf, hasSay, scopeOf } from './declared.ts';
import type { Report } from './oracle.ts';

interface Claim {
  readonly policy: StoredObject;
  readonly say: 'Active' | 'Inactive' | 'None';
  readonly isExplicit: boolean;
}

/** Reports every alert that is not as wanted, and every policy that was not decided. */
export function checkConvergence(world: World, report: Report): void {
  const policies = world.api.store.list('rolealertpolicies').filter((policy) => usableConnection(world, policy));
  for (const scope of world.service.scopes()) {
    for (const alert of world.service.alertsOf(scope) ?? []) checkAlert(world, scope, alert, policies, report);
  }
  for (const policy of policies) checkDecided(world, policy, report);
}

function checkAlert(
  world: World,
  scope: string,
  alert: SimAlert,
  policies: readonly StoredObject[],
  report: Report,
): void {
  const nowMs = startOfTimeMs + world.time.nowMs;
  const shown = shownOf(alert);
  const claims = policies
    .filter((policy) => scopeOf(policy) === scope && hasSay(policy))
    .map((policy): Claim => ({ policy, ...declarationOf(policy, usableConnection(world, policy), shown, nowMs) }))
    .filter(({ say }) => say !== 'None');
  const owner = ownerOf(claims);
  const what = `${alert.name} of ${scope}`;
  if (owner?.say === 'Active' && !alert.isActive) report(`${what} is not active, as ${keyOf(owner.policy)} wants it`);
  if (owner?.say === 'Inactive' && alert.isActive && !isExplained(owner.policy, alert.name)) {
    report(`${what} is active, and ${keyOf(owner.policy)} dismissed it`);
  }
  if (!alert.isActive && owner?.say !== 'Inactive' && isOursToLift(world, scope, alert)) {
    report(`${what} stays turned off by the operator, and nobody declares it`);
  }
}

/** The first claim of each connection, and among those one that wants it active before all others. */
function ownerOf(claims: readonly Claim[]): Claim | undefined {
  const sorted = [...claims].sort(byPrecedence);
  const winners = sorted.filter(
    (claim) => sorted.find(({ policy }) => connectionKeyOf(policy) === connectionKeyOf(claim.policy)) === claim,
  );
  return winners.find(({ say }) => say === 'Active') ?? winners[0];
}

/** Within a connection: explicit beats unlisted, Active beats Inactive, then the oldest. */
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

/** The status says why a deactivation was not made. */
function isExplained(policy: StoredObject, alert: string): boolean {
  const rows = ((policy.status ?? {})['alerts'] ?? []) as readonly Json[];
  const row = rows.find(({ name }) => String(name).toLowerCase() === alert.toLowerCase());
  return ['Held', 'Denied', 'Conflict'].includes(String(row?.['result']));
}

/** Turned off by a process of ours through a connection that still stands, and untouched by others since. */
function isOursToLift(world: World, scope: string, alert: SimAlert): boolean {
  const off = world.turnedOff.get(`${scope} ${alert.name}`.toLowerCase());
  if (!off) return false;
  const connection = usableByKey(world, off.connection);
  return (
    connection?.metadata.uid === off.connectionUid &&
    off.connectionUid !== undefined &&
    !isSuspendedDismissal(world, scope, alert)
  );
}

/** Suspended or in Observe mode, a declaration that holds still keeps what it turned off before. */
function isSuspendedDismissal(world: World, scope: string, alert: SimAlert): boolean {
  const nowMs = startOfTimeMs + world.time.nowMs;
  return world.api.store
    .list('rolealertpolicies')
    .filter((policy) => scopeOf(policy) === scope)
    .some((policy) => {
      const connection = world.api.store.get('rolealertconnections', connectionKeyOf(policy));
      return declarationOf(policy, connection, shownOf(alert), nowMs).say === 'Inactive';
    });
}

function checkDecided(world: World, policy: StoredObject, report: Report): void {
  const { generation } = policy.metadata;
  const status = policy.status ?? {};
  if (isSuspendedUndecided(policy)) return;
  if (status['observedGeneration'] !== generation) {
    report(
      `${keyOf(policy)} was not decided: generation ${generation}, observed ${String(status['observedGeneration'])}`,
    );
  }
  const conditions = (status['conditions'] ?? []) as readonly Json[];
  const reconciling = conditions.find(({ type }) => type === 'Reconciling');
  if (reconciling) report(`${keyOf(policy)} is still reconciling: ${String(reconciling['reason'])}`);
}

/** Nothing decides a suspended policy, and its status admits that: it is InProgress. */
function isSuspendedUndecided({ spec = {}, status = {} }: StoredObject): boolean {
  const conditions = (status['conditions'] ?? []) as readonly Json[];
  const ready = conditions.find(({ type }) => type === 'Ready');
  return spec['suspend'] === true && ready?.['status'] === 'Unknown' && ready['reason'] === 'Suspended';
}

/** The policy's connection, when its credential is one that the service takes. */
function usableConnection(world: World, policy: StoredObject): StoredObject | undefined {
  return usableByKey(world, connectionKeyOf(policy));
}

function usableByKey(world: World, key: string): StoredObject | undefined {
  const connection = world.api.store.get('rolealertconnections', key);
  if (!connection) return undefined;
  const [namespace = '', name = ''] = key.split('/');
  const secret = world.api.store.get('secrets', `${namespace}/${secretNameOf(connection, name)}`);
  if (secret?.metadata.labels?.['rolealerts.dev/credential'] !== 'true') return undefined;
  const [encoded] = Object.values((secret['data'] ?? {}) as Json);
  const value = Buffer.from(String(encoded), 'base64').toString('utf8');
  const auth = (connection.spec?.['auth'] ?? {}) as Json;
  const client = auth['clientCredentials'] as Json | undefined;
  const isTaken = client
    ? world.service.clients.get(String(client['clientID'])) === value
    : world.service.staticTokens.has(value);
  return isTaken ? connection : undefined;
}

function secretNameOf({ spec = {} }: StoredObject, connection: string): string {
  const { tokenSecretRef, clientCredentials } = (spec['auth'] ?? {}) as Record<string, Json | undefined>;
  const reference = (tokenSecretRef ?? clientCredentials?.['clientSecretRef']) as Json | undefined;
  return typeof reference?.['name'] === 'string' ? reference['name'] : `${connection}-credential`;
}

function shownOf({ name, isActive, severity, incidents, hiddenIncidents }: SimAlert): ShownAlert {
  const ids = incidents.map(({ id }) => id.toLowerCase());
  return { name, isActive, severity, incidents: ids, incidentCount: ids.length + hiddenIncidents };
}
