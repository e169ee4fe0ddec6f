// The next status of a connection: its health, its counts and its ledger of dismissals.
import type { NetworkCause } from '../../alerts/alerts-error.ts';
import type {
  DismissalRecord,
  RecentDeactivation,
  RoleAlertConnectionStatus,
} from '../../policy/generated/role-alert-connection.ts';
import { clusterConnectionKind, pendingConnectionStatus, type AnyConnection } from '../../policy/resources.ts';
import { sortedByEnd } from '../dismissals/register.ts';
import { type ConditionDraft, conditionOf, nextConditions } from '../reasons/conditions.ts';
import { factsOfConnection, fillIn } from '../reasons/message-facts.ts';
import { conditionMessage, type ConnectionReason } from '../reasons/reasons.ts';
import { capacityOf, type LargestNamespace, type Load } from './capacity.ts';
import { type EventDraft, eventOf } from './event-draft.ts';

/** The policies of a connection, and what they need of its rate limit. */
export interface ConnectionCounts {
  readonly policies: number;
  readonly scopes: number;
  /** Namespaces with policies of a ClusterRoleAlertConnection. */
  readonly namespaces: number;
  /** One for each interval, the shortest first. */
  readonly loads: readonly Load[];
  /** Which namespace needs the most of them. */
  readonly largestNamespace?: (() => LargestNamespace | undefined) | undefined;
  /** True until this process has tried every scope: a scope counts as one page before its first list. */
  readonly isFirstRound: boolean;
  /** Why one of the scopes fails; undefined while none does. Only a deletion asks: it walks over all scopes. */
  readonly scopeFailure?: (() => string | undefined) | undefined;
}

export interface ConnectionFacts extends ConnectionCounts {
  /** Undefined until the first response after a start; until then the status keeps its Ready condition. */
  readonly health: ConnectionReason | undefined;
  readonly networkCause?: NetworkCause | undefined;
  /** The generation of the spec that gave this health; undefined until it is known. */
  readonly triedGeneration: number | undefined;
  readonly dismissals: readonly DismissalRecord[];
  /** The namespace of the Secrets of every ClusterRoleAlertConnection. */
  readonly clusterNamespace: string;
  readonly recentDeactivations: readonly RecentDeactivation[];
}

/** The number of dismissals that the schema allows in the status of a connection. */
export const ledgerLimit = 500;
/** The size of the dismissals in bytes from which on the ledger takes no more. An object may have 1.5 MiB. */
export const ledgerLimitBytes = 256 * 1024;

/** How many more entries a ledger of that size takes. The last one of each scope may exceed the limit of bytes. */
export function ledgerRoom({ size, bytes }: { readonly size: number; readonly bytes: number }): number {
  return bytes < ledgerLimitBytes ? ledgerLimit - size : 0;
}

export function nextConnectionStatus(
  connection: AnyConnection,
  facts: ConnectionFacts,
  nowMs: number,
): RoleAlertConnectionStatus {
  const previous: RoleAlertConnectionStatus = connection.status ?? pendingConnectionStatus;
  const { triedGeneration, policies, scopes, dismissals, recentDeactivations, loads } = facts;
  const isEnding = connection.metadata.deletionTimestamp !== undefined;
  const generation = isEnding ? connection.metadata.generation : (triedGeneration ?? previous.observedGeneration);
  // The owner of a connection in a namespace knows that namespace.
  const largestOf = connection.kind === clusterConnectionKind ? facts.largestNamespace : undefined;
  const capacity = capacityOf(loads, connection.spec.limits.requestsPerHour, largestOf);
  const { needed } = capacity.facts;
  const { predictedRequestsPerHour: before = 0 } = previous;
  // Without scopes to list no round would end.
  const isUnproven = facts.isFirstRound && needed < before && loads.length > 0;
  // Before the first attempt, Capacity stays Pending as Ready does.
  const drafts = { Capacity: generation < 0 || isUnproven ? 'keep' : capacity } as const;
  const names = { ...factsOfConnection(connection, facts.clusterNamespace), networkCause: facts.networkCause };
  const ready = readyDraft(connection, facts);
  return {
    observedGeneration: generation,
    conditions: [
      ...nextConditions(previous.conditions ?? [], { Ready: ready }, generation, nowMs, names),
      ...nextConditions(previous.conditions ?? [], drafts, connection.metadata.generation, nowMs, names),
    ],
    policies,
    scopes,
    ...(connection.kind === clusterConnectionKind && { namespaces: facts.namespaces }),
    predictedRequestsPerHour: isUnproven ? before : needed,
    // An older CRD drops the empty list as well, so each write shows whether the API server keeps it.
    recentDeactivations,
    dismissalCount: dismissals.length,
    ...(dismissals.length > 0 && { dismissals: sortedByEnd(dismissals) }),
  };
}

function readyDraft(
  { metadata }: AnyConnection,
  { health, triedGeneration, dismissals, scopeFailure }: ConnectionFacts,
): ConditionDraft | 'keep' {
  if (metadata.deletionTimestamp !== undefined) {
    const cause = health === 'Connected' ? scopeFailure?.() : health;
    return { status: 'False', reason: 'Deleting', facts: { remaining: dismissals.length, cause } };
  }
  if (health === undefined || triedGeneration === undefined) return 'keep';
  return { status: health === 'Connected' ? 'True' : 'False', reason: health };
}

interface EventFacts extends Pick<ConnectionFacts, 'clusterNamespace' | 'networkCause'> {
  readonly error?: string | undefined;
}

/**
 * The event for a change of a connection's health. A throttled connection counts as working, and an open circuit is no other
 * cause. `before`: undefined after a start, when the status has what was announced last.
 */
export function connectionEvent(
  before: ConnectionReason | undefined,
  after: ConnectionReason,
  connection: AnyConnection,
  { clusterNamespace, networkCause, error }: EventFacts,
): EventDraft | undefined {
  const [cause, next] = [causeOf(before ?? failureShown(connection)), causeOf(after)];
  if (cause === next) return undefined;
  const facts = { ...factsOfConnection(connection, clusterNamespace), networkCause };
  if (next === undefined) return eventOf('ConnectionRestored', fillIn('{Connection} works again.', facts), 'Connect');
  const message = conditionMessage(after, facts);
  return eventOf(after, error === undefined ? message : `${message} Last error: ${error}`, 'Connect');
}

/** The reason with which the status says that the connection does not work. */
function failureShown({ status }: AnyConnection): string | undefined {
  const ready = conditionOf(status, 'Ready');
  return ready?.status === 'False' ? ready.reason : undefined;
}

/** Why the connection does not work; undefined while it works or is unknown. */
function causeOf(health: string | undefined): string | undefined {
  if (health === 'Connected' || health === 'Throttled') return undefined;
  return health === 'CircuitOpen' ? 'Unreachable' : health;
}
