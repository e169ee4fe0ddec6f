// Gathers what the caches and the memory hold about one (connection, scope) at this moment.
import type { Clock } from '../../lib/clock.ts';
import { parseDuration } from '../../lib/duration.ts';
import type { SelectEntries } from '../../policy/access.ts';
import { type Deletion, deletionOf } from '../../policy/deletion.ts';
import type { DismissalRecord } from '../../policy/generated/role-alert-connection.ts';
import { grantOf, noGrant } from '../../policy/grant.ts';
import type { AnyConnection } from '../../policy/resources.ts';
import { type ScopeRef } from '../../policy/scope-ref.ts';
import { isSuspended } from '../../policy/suspension.ts';
import type { ConnectionStatusWriter } from '../connection/status-writer.ts';
import type { PlanInput, PolicyInput } from '../decide/plan-input.ts';
import { policyIntervalMs } from '../decide/schedule.ts';
import type { DeactivationFacts, SentDeactivation } from '../dismissals/deactivations.ts';
import type { Ledger } from '../dismissals/ledger.ts';
import type { KnownObjects } from '../ports.ts';
import { isDeniedScope, type PolicyIndex } from '../queue/policy-index.ts';
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
