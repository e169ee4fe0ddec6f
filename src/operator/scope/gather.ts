// One work item: its context, what the caches and the memory hold about its (connection, scope) at this moment, and the list of the scope.
import type { AlertList } from '../../alerts/types.ts';
import { type Clock, wallOffsetMs } from '../../lib/clock.ts';
import { parseDuration } from '../../lib/duration.ts';
import type { SelectEntries } from '../../policy/access.ts';
import { type Deletion, deletionOf } from '../../policy/deletion.ts';
import type { DismissalRecord } from '../../policy/generated/role-alert-connection.ts';
import type { RoleAlertPolicyStatus } from '../../policy/generated/role-alert-policy.ts';
import { grantOf, noGrant } from '../../policy/grant.ts';
import type { AnyConnection, RoleAlertPolicy } from '../../policy/resources.ts';
import type { ScopeRef } from '../../policy/scope-ref.ts';
import { isSuspended } from '../../policy/suspension.ts';
import type { AlertClient, CallOptions } from '../alert-client/alert-client.ts';
import type { ConnectionRuntime } from '../connection/runtime.ts';
import type { ConnectionStatusWriter } from '../connection/status-writer.ts';
import { outdated } from '../controller-error.ts';
import type { Action, PlanInput, PolicyInput } from '../decide/decisions.ts';
import { policyIntervalMs } from '../decide/schedule.ts';
import type { DeactivationFacts, SentDeactivation } from '../dismissals/deactivations.ts';
import type { Ledger } from '../dismissals/ledger.ts';
import type { ControllerDeps, KnownObjects } from '../ports.ts';
import { isDeniedScope, type PolicyIndex } from '../queue/policy-index.ts';
import type { ShardMembership } from '../queue/shard.ts';
import type { WorkItem } from '../queue/work-queue.ts';
import { ledgerRoom } from '../report/connection-status.ts';

export interface Gathered {
  readonly ref: ScopeRef;
  /** Undefined when the connection that the policies reference does not exist. */
  readonly connection: AnyConnection | undefined;
  readonly policies: readonly PolicyInput[];
  /** A connection that is being deleted, or whose namespace is, lists only the scopes in its ledger. */
  readonly deletion: Deletion;
  readonly ledger: readonly DismissalRecord[];
  /** Milliseconds since 1970. */
  readonly gatheredMs: number;
  /** The shortest interval of the policies that are reconciled; milliseconds. */
  readonly intervalMs: number;
}

/** What a connection remembers for the plans of its scopes. */
export interface PlanMemory extends Pick<ConnectionStatusWriter, 'deactivationsFor'> {
  readonly ledger: Pick<Ledger, 'recordsOf' | 'unprovenBy' | 'size' | 'bytes'>;
}

export interface GatherDeps {
  readonly policyIndex: PolicyIndex;
  readonly cluster: KnownObjects;
  readonly clock: Pick<Clock, 'now'>;
  readonly defaultIntervalMs: number;
  readonly selectEntries: SelectEntries;
}

export function gather(
  deps: GatherDeps,
  { statusWriter }: { readonly statusWriter: { readonly ledger: Pick<Ledger, 'recordsOf'> } },
  ref: ScopeRef,
): Gathered {
  const connection = deps.cluster.connections.get(ref.connection);
  const policies = policiesAt(deps, ref, connection);
  const ledger = connection ? statusWriter.ledger.recordsOf(ref.scope) : [];
  return {
    ref,
    connection,
    policies,
    deletion: connection
      ? deletionOf(connection, deps.cluster.namespaces.get(connection.metadata.namespace ?? ''))
      : 'None',
    ledger,
    gatheredMs: deps.clock.now(),
    intervalMs: connection
      ? scopeIntervalMs(policies, ledger, connection, deps.defaultIntervalMs)
      : deps.defaultIntervalMs,
  };
}

/**
 * The shortest interval of the policies that are reconciled; milliseconds. A suspended policy counts while the scope has dismissals in
 * the ledger, because its dismissal may end at any time.
 */
function scopeIntervalMs(
  policies: readonly PolicyInput[],
  ledger: readonly DismissalRecord[],
  connection: AnyConnection,
  defaultMs: number,
): number {
  const reconciled = policies.filter((input) => ledger.length > 0 || !input.isSuspended);
  const intervals = reconciled.map(({ policy }) => policyIntervalMs(policy, connection, defaultMs));
  // A scope that is reconciled only because of the ledger.
  if (intervals.length === 0) return Math.max(defaultMs, parseDuration(connection.spec.limits.minInterval) ?? 0);
  return Math.min(...intervals);
}

/** What the memory holds about the scope at this moment. `except`: a deactivation that is not counted. */
export function remembered(
  memory: PlanMemory,
  scope: string,
  listBegunMs: number,
  except?: SentDeactivation,
): Pick<PlanInput, 'ledger' | 'ledgerRoom' | 'unproven' | keyof DeactivationFacts> {
  return {
    ledger: memory.ledger.recordsOf(scope),
    ledgerRoom: ledgerRoom(memory.ledger),
    ...memory.deactivationsFor(scope, except),
    unproven: memory.ledger.unprovenBy(scope, listBegunMs),
  };
}

/**
 * Asks for the grant of each policy again: at the scope itself only policies that may list it count. Without a connection
 * nothing is granted; the inputs only serve to write the statuses.
 */
function policiesAt(deps: GatherDeps, ref: ScopeRef, connection: AnyConnection | undefined): PolicyInput[] {
  const { policies, namespaces } = deps.cluster;
  const nowMs = deps.clock.now();
  const isForDenied = isDeniedScope(ref.scope);
  return deps.policyIndex.policiesAt(ref).flatMap((key) => {
    const policy = policies.get(key);
    if (!policy) return [];
    const namespace = namespaces.get(policy.metadata.namespace);
    const grant = connection ? grantOf(connection, policy, namespace, deps.selectEntries) : noGrant;
    if ((grant.list === 'Allow') === isForDenied) return [];
    return [{ policy, key, isSuspended: isSuspended(policy.spec, nowMs), grant }];
  });
}

/** True when the scope needs no reconcile: all policies are suspended, and the ledger has no entry for it. */
export function isResting({ policies, ledger }: Gathered): boolean {
  return ledger.length === 0 && policies.every(({ isSuspended }) => isSuspended);
}

/**
 * True when a request for the scope is in order at this moment: the connection exists, and a policy may list the scope or
 * the ledger has entries for it.
 */
export function mayList({ connection, policies, deletion, ledger, ref }: Gathered): boolean {
  if (!connection || isDeniedScope(ref.scope)) return false;
  return ledger.length > 0 || (policies.length > 0 && deletion === 'None');
}

/** The gathered objects, with the connection that exists. */
export type Known = Gathered & { readonly connection: AnyConnection };

/** A reconcile with a client of its connection. */
export interface Connected {
  readonly context: ReconcileContext;
  readonly gathered: Known;
  readonly client: AlertClient;
}

/** A complete list, and when it began. */
export interface TimedList {
  readonly list: AlertList;
  /** Monotonic milliseconds. */
  readonly begunMs: number;
  /** `wallOffsetMs` at that time. */
  readonly offsetMs: number;
}

export function callOptions({ urgency, signal, waitSignal }: ReconcileContext): CallOptions {
  return { priority: urgency === 'edit' ? 'high' : 'low', signal, waitSignal };
}

/** A list waits for the rate limiter and other things; it is sent only while a policy may list the scope. */
export async function listScope({ context, gathered, client }: Connected, call: CallOptions): Promise<TimedList> {
  const { deps, runtime, ref } = context;
  const begun = { begunMs: deps.clock.monotonic(), offsetMs: wallOffsetMs(deps.clock) };
  const beforeSend = () => {
    if (!mayList(gather(deps, runtime, ref))) throw outdated('the scope may not be listed any more');
  };
  return { list: await client.listAlerts(listedScope(gathered), { ...call, beforeSend }), ...begun };
}

/** In the spelling of a policy; the service compares scopes without regard to case. */
export function listedScope({ policies, ref }: Known): string {
  return policies[0]?.policy.spec.scope ?? ref.scope;
}

export interface ReconcileDeps extends ControllerDeps {
  readonly policyIndex: PolicyIndex;
  readonly shard: ShardMembership;
  /** Remembers what it selected. */
  readonly selectEntries: SelectEntries;
  /** The statuses that are being written, by policy key: the watch may deliver one before the response arrives. */
  readonly writing: Map<string, RoleAlertPolicyStatus>;
}

/** A running reconcile. */
export interface ReconcileContext extends WorkItem {
  readonly deps: ReconcileDeps;
  readonly runtime: ConnectionRuntime;
  readonly ref: ScopeRef;
}

/**
 * Compares actions for one alert. The ledger records a deactivation under its policy, so the same deactivation for
 * another policy is a different action.
 */
export function isSameAction(now: Action, planned: Action): boolean {
  return now.isActive === planned.isActive && (now.isActive || now.policyKey === planned.policyKey);
}

/** True for the same object with the same spec that is not being deleted since. */
export function isAsGathered<T extends RoleAlertPolicy | AnyConnection>(
  now: T | undefined,
  planned: T | undefined,
): now is T {
  if (!now || !planned) return false;
  const { uid, generation, deletionTimestamp } = now.metadata;
  if (uid !== planned.metadata.uid || generation !== planned.metadata.generation) return false;
  return deletionTimestamp === planned.metadata.deletionTimestamp;
}
