// The ports of the controller: what it needs from outside, besides the client of the service. Tests have a second implementation of
// each; manager/ provides the real ones.
import type { Clock } from '../lib/clock.ts';
import { type CodedError, isCoded } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import type { CustomResources } from '../policy/custom-resources.ts';
import type { AnyConnection, NamespaceMetadata, RoleAlertPolicy } from '../policy/resources.ts';
import type { AlertClient } from './alert-client/alert-client.ts';
import type { ReconcileResult } from './decide/conclude.ts';
import type { ReconcileFailure } from './decide/failures.ts';
import type { EventRecorder } from './kube/event-recorder.ts';
import type { ConnectionReason } from './reasons/reasons.ts';
import type { StatusRefusal } from './report/events.ts';
import type { ScopePlan } from './report/plan-facts.ts';

export interface AlertClientFactory {
  /**
   * Opens a client for the current spec, without sending anything. All clients of one object share its rate limiter.
   */
  open(connection: AnyConnection): AlertClient;
  /** Releases the rate limiter of the object with this uid, which is gone. */
  forget(uid: string): void;
}

/** Without a namespace, of a ClusterRoleAlertConnection. */
export type ReadUid = (namespace: string | undefined, name: string, signal: AbortSignal) => Promise<string | undefined>;

/** The cached objects of one kind. */
export interface CachedObjects<T> {
  /** By `namespace/name`, or `/name` for a cluster-scoped object. */
  get(key: string): T | undefined;
  list(): Iterable<T>;
  /** Stores the response to a write, unless the cache has a newer object. */
  remember(object: T): void;
}

/** The errors of the API server that the controller distinguishes; every other one ends the reconcile. */
export type ClusterErrorCode = 'kube-conflict' | 'kube-not-found' | 'kube-unreachable' | StatusRefusal;

/** True for an error of `ClusterPort` with one of the codes. */
export function isClusterError<Code extends ClusterErrorCode>(
  error: unknown,
  ...codes: readonly [Code, ...Code[]]
): error is CodedError<Code> {
  return isCoded(error, ...codes);
}

/**
 * Reads and writes Kubernetes objects. A conflict rejects with `kube-conflict`. In a shard, `connections` and
 * `readConnection` know only the connections of this shard.
 */
export interface ClusterPort extends CustomResources {
  readonly policies: CachedObjects<RoleAlertPolicy>;
  readonly connections: CachedObjects<AnyConnection>;
  /** By name. */
  readonly namespaces: Pick<CachedObjects<NamespaceMetadata>, 'get'>;
  /** The namespace of the Secrets, ConfigMaps and ServiceAccounts of every ClusterRoleAlertConnection. */
  readonly clusterNamespace: string;
  /** The metadata of a namespace; undefined when it does not exist. */
  readNamespace(name: string, signal: AbortSignal): Promise<NamespaceMetadata | undefined>;
  /** Only in a shard: the uid of a connection of any shard, or undefined when it does not exist. */
  readonly readUidAnywhere?: ReadUid | undefined;
}

/** Emits Kubernetes events. Never fails and never waits. */
export type EventPort = Pick<EventRecorder, 'record'>;

/**
 * Receives the facts for metrics that no object shows: a scrape reads the others from the caches. What changes without a cause, such as
 * the time of the last list, is a metric, never a status.
 */
export interface Observer {
  reconcileEnded(result: ReconcileResult, durationMs: number): void;
  actionEnded(connection: string, direction: 'activate' | 'deactivate', result: 'sent' | 'failed'): void;
  correctionSeen(connection: string, cause: string): void;
  /** `failure` is undefined while the connection works. */
  connectionSeen(connection: string, health: ConnectionReason, failure: ReconcileFailure | undefined): void;
  /** Every scope of the connection was tried once more. */
  roundCompleted(connection: string): void;
  connectionForgotten(connection: string): void;
  statusWritten(kind: 'policy' | 'connection'): void;
  /** Alerts that may stay inactive because the namespace of their connection is being deleted. */
  dismissalsAbandoned(count: number): void;
}

/** Keeps plans for a later replay. Never fails and never waits. */
export interface PlanRecorder {
  record(planned: ScopePlan): void;
}

/** What the controller is given: its ports and its options. */
export interface ControllerDeps {
  readonly cluster: ClusterPort;
  readonly clientFactory: AlertClientFactory;
  readonly events: EventPort;
  readonly observer: Observer;
  /** Absent: plans are not recorded. */
  readonly recorder?: PlanRecorder | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly isReadOnly: boolean;
  /** The interval of policies that set none; milliseconds. */
  readonly defaultIntervalMs: number;
  /** False while this process must not write to the service. */
  readonly mayWrite: () => boolean;
}

/** The objects that a reconcile is decided from. */
export type KnownObjects = {
  readonly [Kind in 'policies' | 'connections' | 'namespaces']: Pick<ClusterPort[Kind], 'get'>;
};
