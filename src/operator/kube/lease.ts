// The Lease of the leader election: its fields, reading and writing it under its resourceVersion, and what one replica observed of it.
// leader-election.ts decides which replica takes it, and when.
import { isPositiveNumber } from '../../lib/json-shape.ts';
import { formatMicroTime } from '../../lib/timestamp.ts';
import { isKubeError, unlessMissing } from './kube-error.ts';
import { collectionPath, isSameOrEarlier, type KubeObject, type KubeResource, objectPath } from './resource.ts';
import type { KubeTransport } from './transport.ts';

export const leaseResource: KubeResource = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases' };

/** Every field may be absent, because a user can create a Lease by hand. */
export interface LeaseSpec {
  /** Empty after a release. */
  readonly holderIdentity?: string | undefined;
  readonly leaseDurationSeconds?: number | undefined;
  /** For people only: a waiting replica measures by its own clock. */
  readonly acquireTime?: string | undefined;
  readonly renewTime?: string | undefined;
  /** The number of changes of the holder. */
  readonly leaseTransitions?: number | undefined;
}

export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec | undefined;
}

/** Every call has the deadline of `LeaseStoreOptions`, and rejects with a `CodedError`. */
export type LeaseStore = ReturnType<typeof createLeaseStore>;

export interface LeaseStoreOptions {
  readonly transport: KubeTransport;
  readonly namespace: string;
  readonly name: string;
  readonly deadlineMs: number;
}

export function createLeaseStore({ transport, namespace, name, deadlineMs }: LeaseStoreOptions) {
  const path = objectPath(leaseResource, namespace, name);
  const head = { apiVersion: `${leaseResource.group}/${leaseResource.version}`, kind: 'Lease' };
  return {
    /** A consistent read; undefined when there is none. */
    read: (signal: AbortSignal) => unlessMissing(transport.request<Lease>({ verb: 'get', path, deadlineMs, signal })),
    /** Rejects with `kube-conflict` when the Lease exists already. */
    create(spec: LeaseSpec, signal: AbortSignal): Promise<Lease> {
      const body = JSON.stringify({ ...head, metadata: { name, namespace }, spec });
      const collection = collectionPath(leaseResource, namespace);
      return transport.request<Lease>({ verb: 'create', path: collection, body, deadlineMs, signal });
    },
    /** Replaces exactly this version, and keeps fields outside `spec`. Rejects with `kube-conflict` when the version has changed. */
    replace(lease: Lease, spec: LeaseSpec, signal: AbortSignal): Promise<Lease> {
      const body = JSON.stringify({ ...lease, ...head, spec: { ...lease.spec, ...spec } });
      return transport.request<Lease>({ verb: 'update', path, body, deadlineMs, signal });
    },
  };
}

/** The spec with which `identity` takes or keeps the Lease. A change of the holder counts as a transition, a release does not. */
export function heldSpec(before: Lease | undefined, identity: string, leaseMs: number, nowMs: number): LeaseSpec {
  const { holderIdentity, acquireTime, leaseTransitions = 0 } = before?.spec ?? {};
  const isOurs = holderIdentity === identity;
  const time = formatMicroTime(nowMs);
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseMs / 1000),
    acquireTime: (isOurs ? acquireTime : undefined) ?? time,
    renewTime: time,
    leaseTransitions: before === undefined || isOurs ? leaseTransitions : leaseTransitions + 1,
  };
}

/** Empties the Lease that this replica wrote last, unless another replica has taken it since. */
export async function releaseLease(
  store: LeaseStore,
  held: Lease,
  now: () => number,
  signal: AbortSignal,
): Promise<void> {
  const identity = held.spec?.holderIdentity;
  try {
    await store.replace(held, releasedSpec(now()), signal);
  } catch (error) {
    if (!isKubeError(error, 'kube-conflict')) throw error;
    // The response to a renewal may have been lost, so the current version is read once.
    const lease = await store.read(signal);
    if (lease && lease.spec?.holderIdentity === identity) await store.replace(lease, releasedSpec(now()), signal);
  }
}

/** As in client-go: no holder, and the shortest duration. */
function releasedSpec(nowMs: number): LeaseSpec {
  const time = formatMicroTime(nowMs);
  return { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time };
}

/**
 * The Lease as one replica observed it, and since when, by the replica's own monotonic clock. The timestamps inside the Lease come from
 * another machine's clock and are never compared. No I/O.
 */
export class LeaseView {
  readonly #fallbackMs: number;
  #lease: Lease | undefined;
  #text: string | undefined;
  #changedAtMs = -Infinity;

  /** `fallbackMs`: the duration of a Lease without `leaseDurationSeconds`. */
  constructor(fallbackMs: number) {
    this.#fallbackMs = fallbackMs;
  }

  /** Empty when the Lease has no holder or has not been observed yet. */
  get holder(): string {
    return this.#lease?.spec?.holderIdentity ?? '';
  }

  /** When this replica observed the last change of the content; -Infinity before the first. */
  get changedAtMs(): number {
    return this.#changedAtMs;
  }

  /**
   * True when the Lease is new. A watch event may be older than a read, so an older version from the watch is ignored; a read
   * always counts, so that a restored API server is accepted. A change of other fields (a label) is no renewal. Deletions are
   * not recorded: the last holder may still work until its time is over.
   */
  see(lease: Lease, source: 'read' | 'watch', atMs: number): boolean {
    const known = this.#lease?.metadata.resourceVersion;
    const version = lease.metadata.resourceVersion;
    if (known === version || (source === 'watch' && known !== undefined && isSameOrEarlier(version, known)))
      return false;
    const text = JSON.stringify(lease.spec ?? {});
    if (text !== this.#text) this.#changedAtMs = atMs;
    this.#lease = lease;
    this.#text = text;
    return true;
  }

  /** Until when a replica other than `identity` may hold the Lease; -Infinity when no other one does. */
  heldByOtherUntilMs(identity: string): number {
    const { holder } = this;
    if (holder === '' || holder === identity) return -Infinity;
    return this.#changedAtMs + durationMsOf(this.#lease?.spec, this.#fallbackMs);
  }
}

function durationMsOf(spec: LeaseSpec | undefined, fallbackMs: number): number {
  const seconds = spec?.leaseDurationSeconds;
  return isPositiveNumber(seconds) ? seconds * 1000 : fallbackMs;
}
