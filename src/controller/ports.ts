// What the controller needs of the world, and nothing else of it. Each port has a second implementation in the tests; the
// real ones are put together in manager/.
import type { AlertList } from '../alerts/types.ts';
import type { ReconcileResult } from '../plan/conclude.ts';
import type { ReconcileFailure } from '../plan/failures.ts';
import type { ConnectionReason } from '../plan/reasons.ts';
import type { RoleAlertConnectionStatus } from '../policy/generated/role-alert-connection.ts';
import type { RoleAlertPolicyStatus } from '../policy/generated/role-alert-policy.ts';
import type { RoleAlertConnection, RoleAlertPolicy } from '../policy/resources.ts';

export interface CallOptions {
  readonly priority: 'high' | 'low';
  readonly signal: AbortSignal;
  /** Aborts the waiting for the rate limiter, and nothing else: the call then rejects with `stopped`. */
  readonly waitSignal?: AbortSignal | undefined;
  /** Pays for the request; without it, or once it is used up, the rate limiter is asked. */
  readonly prepaid?: Reservation;
  /** Sends the request with this permit; without it, the request waits for a permit and releases it at its end. */
  readonly permit?: RequestPermit;
}

/** One of the `maxConcurrent` requests that a connection may have in flight, held for requests that follow each other closely. */
export interface RequestPermit {
  /** Repetition is harmless. */
  release(): void;
}

/** Requests taken out of the rate limiter ahead of time. */
export interface Reservation {
  readonly left: number;
  /** Takes one; false when none is left. */
  use(): boolean;
  /** Gives back what was not used. */
  release(): void;
}

export interface PatchOptions extends CallOptions {
  /** Called in the same tick as the send. What it throws is thrown on, and nothing is sent. */
  readonly beforeSend: () => void;
  /** Called when that send was answered 401, so that it changed nothing, and before it is repeated with another token. */
  readonly onRefused?: () => void;
}

/** The alerts service through one connection. Everything rejects with a `CodedError`. */
export interface AlertsPort {
  /** All pages (specification 4.1). */
  listAlerts(scope: string, options: CallOptions): Promise<AlertList>;
  /** Sets `isActive` (4.2). `unproven`: a success other than 204. */
  patchAlert(scope: string, alertName: string, isActive: boolean, options: PatchOptions): Promise<'sent' | 'unproven'>;
  /** Waits until the rate limiter has that many requests. Rejects with `service-busy` while the service asked to wait. */
  reserve(requests: number, options: CallOptions): Promise<Reservation>;
  /** Waits until one more request may be in flight. Rejects with `stopped` when the signal aborts before. */
  acquirePermit(options: CallOptions): Promise<RequestPermit>;
  /** Reads the credential again; true when it is not the one that was refused last. */
  credentialChanged(signal: AbortSignal): Promise<boolean>;
  stop(): Promise<void>;
}

export interface AlertClientFactory {
  /** Opens a connection as its spec says now. Sends nothing yet. The rate limiter is the same for every opening of one object. */
  open(connection: RoleAlertConnection): AlertsPort;
  /** The object with this uid is gone, and its rate limiter with it. */
  forget(uid: string): void;
}

export type ReadUid = (namespace: string, name: string, signal: AbortSignal) => Promise<string | undefined>;

/** The objects of one kind as last seen. */
export interface CachedObjects<T> {
  /** By `namespace/name`. */
  get(key: string): T | undefined;
  list(): Iterable<T>;
  /** Takes over the answer of a write, unless something newer is there. */
  remember(object: T): void;
}

/**
 * Reading and writing Kubernetes. A conflict rejects with `kube-conflict`. In a shard `connections` and `readConnection` know only
 * the connections of this shard.
 */
export interface ClusterPort {
  readonly policies: CachedObjects<RoleAlertPolicy>;
  readonly connections: CachedObjects<RoleAlertConnection>;
  readPolicy(namespace: string, name: string, signal: AbortSignal): Promise<RoleAlertPolicy | undefined>;
  readConnection(namespace: string, name: string, signal: AbortSignal): Promise<RoleAlertConnection | undefined>;
  /** Absent unless this process serves a shard: the uid of that connection in whichever shard; undefined when there is none. */
  readonly readUidAnywhere?: ReadUid | undefined;
  /** Replaces the whole status under the object's resourceVersion and uid. */
  replacePolicyStatus(
    policy: RoleAlertPolicy,
    status: RoleAlertPolicyStatus,
    signal: AbortSignal,
  ): Promise<RoleAlertPolicy>;
  replaceConnectionStatus(
    connection: RoleAlertConnection,
    status: RoleAlertConnectionStatus,
    signal: AbortSignal,
  ): Promise<RoleAlertConnection>;
}

/** A Kubernetes event. Never fails and never waits. */
export interface EventPort {
  record(event: {
    readonly regarding: {
      readonly apiVersion: string;
      readonly kind: string;
      readonly name: string;
      readonly namespace: string;
      readonly uid: string;
    };
    readonly type: 'Normal' | 'Warning';
    readonly reason: string;
    readonly action: string;
    readonly note: string;
  }): void;
}

/** Where the numbers go. Heartbeats are metrics, never writes. */
export interface Observer {
  reconcileEnded(connection: string, result: ReconcileResult, durationMs: number): void;
  actionEnded(connection: string, direction: 'activate' | 'deactivate', result: 'sent' | 'failed'): void;
  correctionSeen(connection: string, cause: string): void;
  /** `failure` is undefined while the connection works. */
  connectionSeen(connection: string, health: ConnectionReason, failure: ReconcileFailure | undefined): void;
  connectionForgotten(connection: string): void;
  policySeen(policy: string, status: RoleAlertPolicyStatus): void;
  policyForgotten(policy: string): void;
  statusWritten(kind: 'policy' | 'connection'): void;
}
