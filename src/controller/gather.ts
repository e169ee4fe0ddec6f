// Gathers what the caches and the memory hold about one (connection, scope) at this moment.
import type { Clock } from '../lib/clock.ts';
import type { PolicyInput } from '../plan/plan-input.ts';
import { policyInputOf } from '../plan/policy-input.ts';
import { scopeIntervalMs } from '../plan/scope-interval.ts';
import type { SelectEntries } from '../policy/access.ts';
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import type { AnyConnection } from '../policy/resources.ts';
import { type ScopeRef } from '../policy/scope-ref.ts';
import type { ConnectionRuntime } from './connection-runtime.ts';
import type { Neighbours } from './neighbours.ts';
import { isDeniedScope, type PolicyIndex } from './policy-index.ts';
import type { ClusterPort } from './ports.ts';

export interface Gathered {
  readonly ref: ScopeRef;
  /** Undefined when the connection that the policies reference does not exist. */
  readonly connection: AnyConnection | undefined;
  /** All policies on this endpoint and scope; `isOwn` marks those of this connection. */
  readonly policies: readonly PolicyInput[];
  readonly ledger: readonly DismissalRecord[];
  /** Milliseconds since 1970. */
  readonly gatheredMs: number;
  /** The shortest interval of the own policies that are reconciled; milliseconds. */
  readonly intervalMs: number;
}

export interface GatherDeps {
  readonly policyIndex: PolicyIndex;
  readonly cluster: ClusterPort;
  readonly clock: Pick<Clock, 'now'>;
  readonly defaultIntervalMs: number;
  readonly neighbours: Pick<Neighbours, 'standingOf' | 'canAct'>;
  readonly selectEntries: SelectEntries;
}

export function gather(deps: GatherDeps, runtime: ConnectionRuntime, ref: ScopeRef): Gathered {
  const connection = deps.cluster.connections.get(ref.connection);
  const policies = connection ? policiesAtEndpoint(deps, ref) : ownPolicies(deps, ref);
  const ledger = connection ? runtime.statusWriter.entriesOf(ref.scope) : [];
  return {
    ref,
    connection,
    policies,
    ledger,
    gatheredMs: deps.clock.now(),
    intervalMs: connection
      ? scopeIntervalMs(policies, ledger, connection, deps.defaultIntervalMs)
      : deps.defaultIntervalMs,
  };
}

function policiesAtEndpoint(deps: GatherDeps, ref: ScopeRef): PolicyInput[] {
  const { connection, scope } = ref;
  return policiesThrough(deps, deps.policyIndex.connectionsWithPolicies(ref), { scope, own: connection });
}

/** The policies of those connections on a scope; `isOwn` only for the connection `own`. */
export function policiesThrough(
  deps: GatherDeps,
  connections: readonly string[],
  { scope, own }: { readonly scope: string; readonly own?: string },
): PolicyInput[] {
  return connections.flatMap((key) => {
    const connection = deps.cluster.connections.get(key);
    return connection ? inputsAt(deps, { connection: key, scope }, connection, key === own) : [];
  });
}

/** Without a connection nothing is granted; the inputs only serve to write the statuses. */
function ownPolicies(deps: GatherDeps, ref: ScopeRef): PolicyInput[] {
  return inputsAt(deps, ref, undefined, true);
}

/** Asks for the grant of each policy again: at the scope itself only policies that may list it count. */
function inputsAt(
  deps: GatherDeps,
  ref: ScopeRef,
  connection: AnyConnection | undefined,
  isOwn: boolean,
): PolicyInput[] {
  const { policies, namespaces } = deps.cluster;
  const facts = { connection: ref.connection, isOwn, ...standingAt(deps, ref, isOwn) };
  const nowMs = deps.clock.now();
  const isForDenied = isDeniedScope(ref.scope);
  return deps.policyIndex.policiesAt(ref).flatMap((key) => {
    const policy = policies.get(key);
    if (!policy) return [];
    const namespace = namespaces.get(policy.metadata.namespace);
    const input = policyInputOf({ policy, key, connection, namespace }, facts, nowMs, deps.selectEntries);
    return (input.grant.list === 'Allow') === isForDenied ? [] : [input];
  });
}

/** The same policies with the current standings of their connections, which may have changed during the list. */
export function withCurrentStandings(deps: Pick<GatherDeps, 'neighbours'>, { ref, policies }: Gathered): PolicyInput[] {
  return policies.map((input) => {
    const at = { connection: input.connection, scope: ref.scope };
    return { ...input, ...standingAt(deps, at, input.isOwn) };
  });
}

function standingAt({ neighbours }: Pick<GatherDeps, 'neighbours'>, ref: ScopeRef, isOwn: boolean) {
  if (isOwn) return { standing: 'Proven' as const, canAct: true };
  return { standing: neighbours.standingOf(ref), canAct: neighbours.canAct(ref) };
}

/** True when the scope needs no reconcile: all own policies are suspended, and the ledger has no entry for it. */
export function isResting({ policies, ledger }: Gathered): boolean {
  return ledger.length === 0 && policies.every((input) => !input.isOwn || input.isSuspended);
}

/**
 * True when a request for the scope is in order at this moment: the connection exists, and a policy may list the scope or
 * the ledger has entries for it. A deleted connection is served by its release alone.
 */
export function mayList({ connection, policies, ledger, ref }: Gathered): boolean {
  if (!connection || isDeniedScope(ref.scope)) return false;
  return ledger.length > 0 || policies.some(({ isOwn }) => isOwn);
}
