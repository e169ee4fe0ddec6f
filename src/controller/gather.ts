// The left side of a pass: what the caches and the memory hold about one (connection, scope) at this moment.
import { parseDuration } from '../lib/duration.ts';
import { policyIntervalMs } from '../plan/schedule.ts';
import type { PolicyInput } from '../plan/types.ts';
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import type { RoleAlertConnection, RoleAlertPolicy } from '../policy/resources.ts';
import type { Grant } from '../policy/wants.ts';
import type { Catalog, ScopeRef } from './catalog.ts';
import type { Neighbours } from './neighbours.ts';
import type { ClusterPort } from './ports.ts';
import type { Session } from './session.ts';

export interface Gathered {
  readonly ref: ScopeRef;
  /** Undefined when the policies name a connection that does not exist. */
  readonly connection: RoleAlertConnection | undefined;
  /** Everybody who meets at this endpoint and scope; `isOwn` marks those that came through this connection. */
  readonly policies: readonly PolicyInput[];
  readonly ledger: readonly DismissalRecord[];
  /** The shortest interval of the own policies that the scope is looked at for. */
  readonly intervalMs: number;
}

export interface GatherTools {
  readonly catalog: Catalog;
  readonly cluster: ClusterPort;
  readonly defaultIntervalMs: number;
  readonly neighbours: Pick<Neighbours, 'standingOf' | 'canAct'>;
}

export function gather(tools: GatherTools, session: Session, ref: ScopeRef): Gathered {
  const connection = tools.cluster.connections.get(ref.connection);
  const policies = connection ? policiesAtEndpoint(tools, ref) : ownPolicies(tools, ref);
  const ledger = connection ? session.recorder.entriesOf(ref.scope) : [];
  return {
    ref,
    connection,
    policies,
    ledger,
    intervalMs: connection
      ? scopeIntervalMs(policies, ledger, connection, tools.defaultIntervalMs)
      : tools.defaultIntervalMs,
  };
}

function policiesAtEndpoint(tools: GatherTools, { connection, scope }: ScopeRef): PolicyInput[] {
  return policiesThrough(tools, tools.catalog.siblings(connection), { scope, own: connection });
}

/** The policies on a scope through those connections; none of them is `isOwn` without an `own` connection. */
export function policiesThrough(
  tools: GatherTools,
  connections: readonly string[],
  { scope, own }: { readonly scope: string; readonly own?: string },
): PolicyInput[] {
  return connections.flatMap((key) => {
    const connection = tools.cluster.connections.get(key);
    return connection ? inputsAt(tools, { connection: key, scope }, grantOf(connection), key === own) : [];
  });
}

/** Without a connection nothing is granted; these inputs only say whose status is to be written. */
function ownPolicies(tools: GatherTools, ref: ScopeRef): PolicyInput[] {
  return inputsAt(tools, ref, { deactivation: 'Deny', maxDismissalMs: 0 }, true);
}

function inputsAt(tools: GatherTools, ref: ScopeRef, grant: Grant, isOwn: boolean): PolicyInput[] {
  const facts = { grant, connection: ref.connection, isOwn, ...sayOf(tools, ref, isOwn) };
  return [...tools.catalog.policiesAt(ref)].flatMap((key) => {
    const policy = tools.cluster.policies.get(key);
    return policy ? [{ policy, key, ...facts }] : [];
  });
}

/** The same policies with what is known of their connections now: it may have changed while the scope was listed. */
export function withSay(tools: Pick<GatherTools, 'neighbours'>, { ref, policies }: Gathered): PolicyInput[] {
  return policies.map((input) => {
    const at = { connection: input.connection, scope: ref.scope };
    return { ...input, ...sayOf(tools, at, input.isOwn) };
  });
}

function sayOf({ neighbours }: Pick<GatherTools, 'neighbours'>, ref: ScopeRef, isOwn: boolean) {
  if (isOwn) return { standing: 'Proven' as const, canAct: true };
  return { standing: neighbours.standingOf(ref), canAct: neighbours.canAct(ref) };
}

/** A connection that is being deleted grants nothing. */
function grantOf({ spec, metadata }: RoleAlertConnection): Grant {
  const deactivation = metadata.deletionTimestamp === undefined ? spec.deactivation : 'Deny';
  return { deactivation, maxDismissalMs: parseDuration(spec.limits.maxDismissal) ?? 0 };
}

/** A suspended policy counts while something of ours is turned off there: its dismissal may stop holding any time. */
function scopeIntervalMs(
  policies: readonly PolicyInput[],
  ledger: readonly DismissalRecord[],
  connection: RoleAlertConnection,
  defaultMs: number,
): number {
  const looked = policies.filter(({ policy, isOwn }) => isOwn && (ledger.length > 0 || !isSuspended(policy)));
  const intervals = looked.map(({ policy }) => policyIntervalMs(policy, connection, defaultMs));
  return intervals.length === 0 ? policyFloorMs(connection, defaultMs) : Math.min(...intervals);
}

/** For a scope that is looked at only because of the ledger. */
function policyFloorMs(connection: RoleAlertConnection, defaultMs: number): number {
  return Math.max(defaultMs, parseDuration(connection.spec.limits.minInterval) ?? 0);
}

/** True when nobody wants a look: all own policies are suspended, and nothing of ours is turned off there. */
export function isResting({ policies, ledger }: Gathered): boolean {
  return ledger.length === 0 && policies.every(({ policy, isOwn }) => !isOwn || isSuspended(policy));
}

export function isSuspended(policy: RoleAlertPolicy): boolean {
  return policy.spec.suspend;
}
