// Gathers what the caches and the memory hold about one (connection, scope) at this moment.
import type { Clock } from '../lib/clock.ts';
import { parseDuration } from '../lib/duration.ts';
import type { PolicyInput } from '../plan/plan-input.ts';
import { policyIntervalMs } from '../plan/schedule.ts';
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import type { RoleAlertConnection } from '../policy/resources.ts';
import { isSuspended } from '../policy/suspension.ts';
import type { Grant } from '../policy/wants.ts';
import type { ConnectionRuntime } from './connection-runtime.ts';
import type { Neighbours } from './neighbours.ts';
import type { PolicyIndex, ScopeRef } from './policy-index.ts';
import type { ClusterPort } from './ports.ts';

export interface Gathered {
  readonly ref: ScopeRef;
  /** Undefined when the connection that the policies reference does not exist. */
  readonly connection: RoleAlertConnection | undefined;
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
    return connection ? inputsAt(deps, { connection: key, scope }, grantOf(connection), key === own) : [];
  });
}

/** Without a connection nothing is granted; the inputs only serve to write the statuses. */
function ownPolicies(deps: GatherDeps, ref: ScopeRef): PolicyInput[] {
  return inputsAt(deps, ref, { deactivation: 'Deny', maxDismissalMs: 0 }, true);
}

function inputsAt(deps: GatherDeps, ref: ScopeRef, grant: Grant, isOwn: boolean): PolicyInput[] {
  const facts = { grant, connection: ref.connection, isOwn, ...standingAt(deps, ref, isOwn) };
  const nowMs = deps.clock.now();
  return deps.policyIndex.policiesAt(ref).flatMap((key) => {
    const policy = deps.cluster.policies.get(key);
    return policy ? [{ policy, key, isSuspended: isSuspended(policy.spec, nowMs), ...facts }] : [];
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

/** A connection that is being deleted grants nothing. */
function grantOf({ spec, metadata }: RoleAlertConnection): Grant {
  const deactivation = metadata.deletionTimestamp === undefined ? spec.deactivation : 'Deny';
  const { correctionWindows } = spec;
  const maxDismissalMs = parseDuration(spec.limits.maxDismissal) ?? 0;
  return { deactivation, maxDismissalMs, ...(correctionWindows && { correctionWindows }) };
}

/**
 * A suspended policy counts while the scope has dismissals in the ledger, because its dismissal may end at any time.
 */
function scopeIntervalMs(
  policies: readonly PolicyInput[],
  ledger: readonly DismissalRecord[],
  connection: RoleAlertConnection,
  defaultMs: number,
): number {
  const reconciled = policies.filter((input) => input.isOwn && (ledger.length > 0 || !input.isSuspended));
  const intervals = reconciled.map(({ policy }) => policyIntervalMs(policy, connection, defaultMs));
  return intervals.length === 0 ? ledgerIntervalMs(connection, defaultMs) : Math.min(...intervals);
}

/** The interval of a scope that is reconciled only because of the ledger. */
function ledgerIntervalMs(connection: RoleAlertConnection, defaultMs: number): number {
  return Math.max(defaultMs, parseDuration(connection.spec.limits.minInterval) ?? 0);
}

/** True when the scope needs no reconcile: all own policies are suspended, and the ledger has no entry for it. */
export function isResting({ policies, ledger }: Gathered): boolean {
  return ledger.length === 0 && policies.every((input) => !input.isOwn || input.isSuspended);
}
