// The fleet at a glance: totals, what needs attention, the causes first, and every policy and connection. Computed from the statuses alone.
import { byText } from '../../lib/compare-text.ts';
import { counted } from '../../lib/counted.ts';
import { type DismissalInForce, dismissalsInForce } from '../../operator/dismissals/register.ts';
import { conditionOf, type ConditionType } from '../../operator/reasons/conditions.ts';
import { connectionName } from '../../operator/reasons/message-facts.ts';
import { connectionKeyOf } from '../../policy/connection-key.ts';
import type { Condition } from '../../policy/generated/role-alert-policy.ts';
import { type AnyConnection, pendingStatus, type RoleAlertPolicy } from '../../policy/resources.ts';
import { namespacedName } from '../../policy/scope-ref.ts';
import { suspensionEndMs } from '../../policy/suspension.ts';
import { firingAlerts, isHigh } from './incidents.ts';
import { displayNameOf, objectName } from './object-name.ts';

export interface FleetInput {
  /** What it leaves out, and why, as sentences. */
  readonly notes?: readonly string[];
  readonly policies: readonly RoleAlertPolicy[];
  readonly connections: readonly AnyConnection[];
  /** Only the findings of what is not ready, and the policies and connections that they name. */
  readonly notReady?: boolean;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** Findings worst first, and of equal ones the newest. */
export type Fleet = ReturnType<typeof fleetOf>;
export type FleetTotals = ReturnType<typeof totalsOf>;

/** In the order of the list, each with its words: what breaks many policies at once, what blocks one, what differs, fires, is suspended without an end, ends soon, and what only waits. */
export const findingWords = {
  Connection: 'connection not ready',
  Capacity: 'too few requests',
  Stalled: 'stalled',
  NotReady: 'not ready',
  Drifted: 'drifted',
  Firing: 'incidents',
  Suspended: 'suspended',
  DismissalEnds: 'dismissal ends',
  Waiting: 'waiting',
} as const;
export type FindingKind = keyof typeof findingWords;
const findingKinds = Object.keys(findingWords);
const notReadyKinds: ReadonlySet<FindingKind> = new Set(['Connection', 'Stalled', 'NotReady', 'Waiting']);

export interface FleetFinding {
  readonly kind: FindingKind;
  /** As `objectName` names it. */
  readonly object: string;
  /** Of the scope of a policy. */
  readonly displayName?: string;
  readonly reason: string;
  readonly message: string;
  /** Since when the condition shows it. */
  readonly since?: string;
  /** The number of open incidents; only of the kind Firing. */
  readonly incidents?: number;
  /** How many policies are behind the connection; only of what breaks many at once. */
  readonly policies?: number;
  /** Orders findings of one kind: the larger, the worse. */
  readonly weight: number;
}

/** Dismissals that end within this time are shown. */
export const endingSoonMs = 7 * 24 * 3_600_000;

export function fleetOf({ policies, connections, notReady = false, nowMs }: FleetInput) {
  const dismissals = dismissalsInForce(policies, connections, nowMs);
  const all = [
    ...policies.flatMap(policyFindings),
    ...dismissals.flatMap((dismissal) => endingFinding(dismissal, nowMs)),
    ...connections.flatMap(connectionFindings),
  ];
  const findings = notReady ? all.filter(({ kind }) => notReadyKinds.has(kind)) : all;
  const named = new Set(findings.map(({ object }) => object));
  const dismissalsOf = Map.groupBy(dismissals, ({ connection }) => connection);
  const isShown = (object: RoleAlertPolicy | AnyConnection) => !notReady || named.has(objectName(object));
  return {
    totals: totalsOf(policies, connections),
    findings: findings.sort(byWeight),
    policies: policies.filter(isShown).map(rowOf).sort(byName),
    connections: connections
      .filter(isShown)
      .map((connection) => connectionRow(connection, dismissalsOf.get(namespacedName(connection))?.length ?? 0))
      .sort(byName),
  };
}

/** Only these policies, and the connections that they use. */
export function fleetWith<Input extends FleetInput>(input: Input, policies: readonly RoleAlertPolicy[]): Input {
  const used = new Set(policies.map(connectionKeyOf));
  return { ...input, policies, connections: input.connections.filter((each) => used.has(namespacedName(each))) };
}

function totalsOf(policies: readonly RoleAlertPolicy[], connections: readonly AnyConnection[]) {
  const sum = (count: (policy: RoleAlertPolicy) => number | undefined) => sumOf(policies, count);
  return {
    policies: policies.length,
    ready: policies.filter((policy) => isReady(policy) && !isShownSuspended(policy)).length,
    stalled: policies.filter(({ status }) => conditionOf(status, 'Stalled')?.status === 'True').length,
    suspended: policies.filter(isShownSuspended).length,
    declared: sum(({ status }) => status?.summary?.declared),
    inSync: sum(({ status }) => status?.summary?.inSync),
    drifted: sum(({ status }) => status?.summary?.drifted),
    missing: sum(({ status }) => status?.summary?.missing),
    dismissed: sum(({ status }) => status?.summary?.dismissed),
    incidents: sum(({ status }) => status?.summary?.incidents),
    highIncidents: sum(({ status }) => status?.summary?.highIncidents),
    connections: connections.length,
    connectionsReady: connections.filter(isReady).length,
    // What the policies of all connections need while nothing drifts, as far as the operator computed it.
    predictedRequestsPerHour: sumOf(connections, ({ status }) => status?.predictedRequestsPerHour),
    allowedRequestsPerHour: sumOf(connections, ({ spec }) => spec.limits.requestsPerHour),
  };
}

function sumOf<T>(objects: readonly T[], count: (object: T) => number | undefined): number {
  return objects.reduce((total, object) => total + (count(object) ?? 0), 0);
}

interface Conditioned {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

const isReady = ({ status }: Conditioned) => conditionOf(status, 'Ready')?.status === 'True';

/** Its condition Ready is True, because nothing is left to do. */
function isShownSuspended({ status }: RoleAlertPolicy): boolean {
  return conditionOf(status, 'Ready')?.reason === 'Suspended';
}

function policyFindings(policy: RoleAlertPolicy): readonly FleetFinding[] {
  const finding = (kind: FindingKind, condition: Condition, weight = 0): FleetFinding => ({
    ...findingOf(kind, objectName(policy), condition),
    ...displayNameOf(policy),
    weight,
  });
  const stalled = conditionOf(policy.status, 'Stalled');
  const ready = conditionOf(policy.status, 'Ready') ?? pendingStatus.conditions[0];
  const inSync = conditionOf(policy.status, 'InSync');
  const open = conditionOf(policy.status, 'IncidentsOpen');
  const { drifted = 0, highIncidents = 0 } = policy.status?.summary ?? {};
  const isStalled = stalled?.status === 'True';
  return [
    ...(isStalled ? [finding('Stalled', stalled)] : []),
    ...(!isStalled && ready?.status === 'False' ? [finding('NotReady', ready)] : []),
    ...(drifted > 0 && ready?.status !== 'False' && inSync?.status === 'False'
      ? [finding('Drifted', inSync, drifted)]
      : []),
    ...(ready && policy.spec.suspend && isShownSuspended(policy) && suspensionEndMs(policy.spec) === undefined
      ? [finding('Suspended', ...endless(ready, inSync))]
      : []),
    ...(ready?.status === 'Unknown' ? [finding('Waiting', ready)] : []),
    ...(open?.status === 'True' ? [withIncidents(finding('Firing', open, Math.min(highIncidents, 1)), policy)] : []),
  ];
}

/** The older, the heavier. A suspension begins with the later transition: Ready may have been True before, or InSync Unknown. */
function endless(ready: Condition, inSync = ready): [Condition, number] {
  const { lastTransitionTime } = ready.lastTransitionTime > inSync.lastTransitionTime ? ready : inSync;
  const message = `Without an end. ${ready.message}`;
  return [{ ...ready, message, lastTransitionTime }, -Date.parse(lastTransitionTime)];
}

/** The summary of a policy counts the incidents of dismissed alerts, too; its rows tell them apart. */
function withIncidents(finding: FleetFinding, policy: RoleAlertPolicy): FleetFinding {
  const firing = firingAlerts([policy]);
  const total = sumOf(firing, (alert) => alert.total);
  if (total === 0) return finding;
  const high = sumOf(firing.filter(isHigh), (alert) => alert.total);
  const message = `${total} ${total === 1 ? 'incident' : 'incidents'}${high === 0 ? '' : `, ${high} of severity High`}. ${finding.message}`;
  return { ...finding, message, incidents: total };
}

function endingFinding(dismissal: DismissalInForce, nowMs: number): readonly FleetFinding[] {
  const { connection, alert, scope, until, policy, deactivatedBy } = dismissal;
  const leftMs = until === undefined ? Number.NaN : Date.parse(until) - nowMs;
  if (!(leftMs <= endingSoonMs)) return [];
  const effect =
    deactivatedBy === 'Operator'
      ? 'the alert then becomes active'
      : `in mode Enforce the operator then activates the alert${deactivatedBy === 'Other' ? ', which another client deactivated' : ''}`;
  const message = `the dismissal of ${alert} on ${scope} by ${policy} ends at ${until}; ${effect}.`;
  const object = connectionName('connection', connection);
  return [{ kind: 'DismissalEnds', object, reason: 'DismissalEnding', message, weight: -leftMs }];
}

function connectionFindings(connection: AnyConnection): readonly FleetFinding[] {
  const object = objectName(connection);
  const failed = (type: ConditionType, kind: FindingKind): readonly FleetFinding[] => {
    const condition = conditionOf(connection.status, type);
    return condition?.status === 'False' ? [withPolicies(findingOf(kind, object, condition), connection)] : [];
  };
  return [...failed('Ready', 'Connection'), ...failed('Capacity', 'Capacity')];
}

function findingOf(kind: FindingKind, object: string, { reason, message, lastTransitionTime: since }: Condition) {
  // The default of the schema has no time.
  return { kind, object, reason, message, ...(Date.parse(since) > 0 && { since }) };
}

/** The number is that of the operator, which counts all namespaces. */
function withPolicies(finding: Omit<FleetFinding, 'weight'>, { status }: AnyConnection): FleetFinding {
  const policies = status?.policies ?? 0;
  return {
    ...finding,
    message: `${counted(policies, 'policy', 'policies')}. ${finding.message}`,
    policies,
    weight: policies,
  };
}

function byWeight(left: FleetFinding, right: FleetFinding): number {
  const order = findingKinds.indexOf(left.kind) - findingKinds.indexOf(right.kind);
  const age = byText(right.since ?? '', left.since ?? '');
  return order || right.weight - left.weight || age || byText(left.object, right.object);
}

function rowOf(policy: RoleAlertPolicy) {
  const ready = conditionOf(policy.status, 'Ready');
  const { connectionRef, mode, scope } = policy.spec;
  return {
    namespace: policy.metadata.namespace,
    name: policy.metadata.name,
    ready: ready?.status ?? 'Unknown',
    reason: ready?.reason ?? 'Pending',
    mode: policy.status?.effective?.mode ?? mode,
    inSync: policy.status?.summary?.inSyncText ?? '',
    incidents: policy.status?.summary?.incidents ?? 0,
    scope: policy.status?.effective?.scope ?? scope,
    ...displayNameOf(policy),
    connection: connectionRef.name,
    connectionKind: connectionRef.kind,
  };
}

function connectionRow({ kind, metadata: { namespace, name }, spec, status }: AnyConnection, dismissals: number) {
  const ready = conditionOf(status, 'Ready');
  const predicted = status?.predictedRequestsPerHour;
  return {
    kind,
    ...(namespace !== undefined && { namespace }),
    name,
    ready: ready?.status ?? 'Unknown',
    reason: ready?.reason ?? 'Pending',
    policies: status?.policies ?? 0,
    scopes: status?.scopes ?? 0,
    dismissals,
    ...(predicted !== undefined && { predictedRequestsPerHour: predicted }),
    allowedRequestsPerHour: spec.limits.requestsPerHour,
  };
}

/** Cluster-scoped objects first. */
function byName(left: Named, right: Named): number {
  return byText(left.namespace ?? '', right.namespace ?? '') || byText(left.name, right.name);
}

interface Named {
  readonly namespace?: string;
  readonly name: string;
}
