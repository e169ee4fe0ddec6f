// The Lease by which replicas agree on who works: its fields, and reading and writing it under its resourceVersion. Who may
// take it, and when, is decided in lease-view.ts and leader-election.ts.
import { isCodedError } from '../lib/errors.ts';
import { formatMicroTime } from '../lib/timestamp.ts';
import { collectionPath, type KubeObject, type KubeResource, objectPath } from './resource.ts';
import type { KubeTransport } from './transport.ts';

export const leaseResource: KubeResource = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases' };

/** All of them may be absent: anybody can make a Lease by hand. */
export interface LeaseSpec {
  /** Empty when it was released. */
  readonly holderIdentity?: string | undefined;
  readonly leaseDurationSeconds?: number | undefined;
  /** For people only: whoever waits measures by a clock of its own. */
  readonly acquireTime?: string | undefined;
  readonly renewTime?: string | undefined;
  /** How often the holder changed. */
  readonly leaseTransitions?: number | undefined;
}

export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec | undefined;
}

/** Every call has the deadline that the store was made with. Rejects with a `CodedError`. */
export interface LeaseStore {
  /** A consistent read; undefined when there is none. */
  read(signal: AbortSignal): Promise<Lease | undefined>;
  /** Rejects with `kube-conflict` when somebody else was faster. */
  create(spec: LeaseSpec, signal: AbortSignal): Promise<Lease>;
  /** Replaces exactly this version; what others wrote beside the fields of `spec` stays. Else rejects with `kube-conflict`. */
  replace(lease: Lease, spec: LeaseSpec, signal: AbortSignal): Promise<Lease>;
}

export interface LeaseStoreOptions {
  readonly transport: KubeTransport;
  readonly namespace: string;
  readonly name: string;
  readonly deadlineMs: number;
}

export function createLeaseStore({ transport, namespace, name, deadlineMs }: LeaseStoreOptions): LeaseStore {
  const path = objectPath(leaseResource, namespace, name);
  const head = { apiVersion: `${leaseResource.group}/${leaseResource.version}`, kind: 'Lease' };
  return {
    async read(signal) {
      try {
        return await transport.request<Lease>({ verb: 'get', path, deadlineMs, signal });
      } catch (error) {
        if (isCodedError(error, 'kube-not-found')) return undefined;
        throw error;
      }
    },
    create(spec, signal) {
      const body = JSON.stringify({ ...head, metadata: { name, namespace }, spec });
      const collection = collectionPath(leaseResource, namespace);
      return transport.request<Lease>({ verb: 'create', path: collection, body, deadlineMs, signal });
    },
    replace(lease, spec, signal) {
      const body = JSON.stringify({ ...lease, ...head, spec: { ...lease.spec, ...spec } });
      return transport.request<Lease>({ verb: 'update', path, body, deadlineMs, signal });
    },
  };
}

/** What `identity` writes to take or keep the Lease. The holder's change counts as a transition, a release does not. */
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

/** Empties the Lease that this replica wrote last; one that somebody else has by now is left alone. */
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
    if (!isCodedError(error, 'kube-conflict')) throw error;
    // A renewal whose answer was lost: its version is read once.
    const lease = await store.read(signal);
    if (lease && lease.spec?.holderIdentity === identity) await store.replace(lease, releasedSpec(now()), signal);
  }
}

/** As client-go releases: no holder, and a duration that is over at once. */
function releasedSpec(nowMs: number): LeaseSpec {
  const time = formatMicroTime(nowMs);
  return { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time };
}
