// The ledger of one connection while the process runs: which alerts are inactive because of this operator, and since when a
// deactivation of each may have been sent. It knows no status and no API server; connection-recorder.ts persists it.
import { canonicalName } from '../alerts/resource-id.ts';
import type { Clock } from '../lib/clock.ts';
import { formatTimestamp } from '../lib/timestamp.ts';
import { verifyWindowMs } from '../plan/writes.ts';
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';

/** What names an entry. */
export type LedgerRef = Pick<DismissalRecord, 'scope' | 'alert'>;

interface Held {
  readonly record: DismissalRecord;
  /** Monotonic: when its last deactivation was entered. The wall clock of `since` may step. */
  readonly enteredMs: number;
}

export class Ledger {
  readonly #clock: Clock;
  readonly #held = new Map<string, Held>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces everything by what a status says. */
  adopt(records: readonly DismissalRecord[]): void {
    this.#held.clear();
    const nowMs = this.#clock.monotonic();
    for (const record of records) {
      this.#held.set(keyOf(record), { record, enteredMs: nowMs - this.#ageMs(record) });
    }
  }

  get size(): number {
    return this.#held.size;
  }

  records(): DismissalRecord[] {
    return [...this.#held.values()].map(({ record }) => record);
  }

  recordsOf(scope: string): DismissalRecord[] {
    return this.records().filter((record) => record.scope === scope);
  }

  scopes(): Set<string> {
    return new Set(this.records().map(({ scope }) => scope));
  }

  /**
   * Enters a deactivation that is about to be sent; an entry that is there already gets the new `since`. The function that it
   * returns restores what was there before, for a deactivation that surely had no effect. Call it at most once.
   */
  enter(entry: Omit<DismissalRecord, 'since'>): () => void {
    const key = keyOf(entry);
    const before = this.#held.get(key);
    const record = { ...entry, since: formatTimestamp(this.#clock.now()) };
    const entered: Held = { record, enteredMs: this.#clock.monotonic() };
    this.#held.set(key, entered);
    return () => {
      if (this.#held.get(key) !== entered) return;
      if (before) this.#held.set(key, before);
      else this.#held.delete(key);
    };
  }

  /** Removes these very records: one that was entered again meanwhile is another. True when one was there. */
  remove(records: readonly DismissalRecord[]): boolean {
    const known = records.filter((record) => this.#held.get(keyOf(record))?.record === record);
    for (const record of known) this.#held.delete(keyOf(record));
    return known.length > 0;
  }

  /**
   * Canonical names of the scope's alerts whose last deactivation may have had its effect after that monotonic moment: a list that
   * was begun then and shows them active proves nothing.
   */
  unprovenBy(scope: string, listBegunMs: number): Set<string> {
    const unproven = new Set<string>();
    for (const { record, enteredMs } of this.#held.values()) {
      if (record.scope === scope && listBegunMs - enteredMs < verifyWindowMs) unproven.add(canonicalName(record.alert));
    }
    return unproven;
  }

  /** At most the time that matters. A `since` ahead of the clock, or an unreadable one, counts as this moment. */
  #ageMs({ since }: DismissalRecord): number {
    const ageMs = this.#clock.now() - Date.parse(since);
    return ageMs > 0 ? Math.min(ageMs, verifyWindowMs) : 0;
  }
}

function keyOf({ scope, alert }: LedgerRef): string {
  return `${scope}\n${canonicalName(alert)}`;
}
