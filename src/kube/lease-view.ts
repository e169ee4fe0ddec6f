// What one replica has seen of the Lease, and since when by its own monotonic clock: the only time that counts. Pure but for
// its memory. The times inside the Lease are another machine's and are never compared with anything.
import type { Lease, LeaseSpec } from './lease.ts';
import { isSameOrEarlier } from './resource.ts';

export class LeaseView {
  readonly #fallbackMs: number;
  #lease: Lease | undefined;
  #text: string | undefined;
  #changedAtMs = -Infinity;

  /** `fallbackMs`: how long a holder counts whose Lease does not say. */
  constructor(fallbackMs: number) {
    this.#fallbackMs = fallbackMs;
  }

  /** Empty while nobody has it, or nothing was seen yet. */
  get holder(): string {
    return this.#lease?.spec?.holderIdentity ?? '';
  }

  /** When its content last changed, as far as this replica saw; -Infinity before that. */
  get changedAtMs(): number {
    return this.#changedAtMs;
  }

  /**
   * True when it was news. What the watch tells may be older than what was read meanwhile; a read counts in any case, so that
   * a server that was set back to an earlier state is believed. A change of other fields (a label) is no sign of life. A Lease
   * that is gone is not told here: its last holder may still be at work for as long as it was promised.
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

  /** The moment from which nobody but `identity` can count itself the holder; -Infinity when that is so already. */
  heldByOtherUntilMs(identity: string): number {
    const { holder } = this;
    if (holder === '' || holder === identity) return -Infinity;
    return this.#changedAtMs + durationMsOf(this.#lease?.spec, this.#fallbackMs);
  }
}

function durationMsOf(spec: LeaseSpec | undefined, fallbackMs: number): number {
  const seconds = spec?.leaseDurationSeconds;
  return typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : fallbackMs;
}
