// The Lease as one replica observed it, and since when, by the replica's own monotonic clock. The timestamps inside the Lease
// come from another machine's clock and are never compared. No I/O.
import { isPositiveNumber } from '../../lib/json-shape.ts';
import type { Lease, LeaseSpec } from './lease.ts';
import { isSameOrEarlier } from './resource.ts';

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
