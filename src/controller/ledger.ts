// The ledger of one connection while the process runs: which alerts are inactive because of this operator, and since when a
// deactivation of each may have been sent. It knows no status and no API server; connection-status-writer.ts persists it.
import { canonicalName } from '../alerts/resource-id.ts';
import type { Clock } from '../lib/clock.ts';
import { formatTimestamp } from '../lib/timestamp.ts';
import type { LedgerNews } from '../plan/types.ts';
import { verifyWindowMs } from '../plan/writes.ts';
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import { isGoneForGood, type Missing, nextMissing } from './missing.ts';

/** What names an entry. */
export type LedgerRef = Pick<DismissalRecord, 'scope' | 'alert'>;

interface Held {
  readonly record: DismissalRecord;
  /** Monotonic: when its last deactivation was entered, or the entry taken over. The wall clock of `since` may step. */
  readonly enteredMs: number;
  /** Set while the service does not list the alert. */
  readonly missing?: Missing;
}

export interface Noted {
  /** True when a status has to say it. */
  readonly isChanged: boolean;
  /** Entries that ended because their alert is gone for good. */
  readonly dropped: readonly DismissalRecord[];
}

export class Ledger {
  readonly #clock: Clock;
  readonly #held = new Map<string, Held>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces everything by what a status says. */
  load(records: readonly DismissalRecord[]): void {
    this.#held.clear();
    for (const record of records) this.takeOver(record);
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

  find(ref: LedgerRef): DismissalRecord | undefined {
    return this.#held.get(keyOf(ref))?.record;
  }

  /**
   * Enters a deactivation that is about to be sent; an entry that is there already gets the new `since`. The function that it
   * returns restores what was there before, for a deactivation that surely had no effect. Call it at most once.
   */
  recordDismissal(entry: Omit<DismissalRecord, 'since'>): () => void {
    return this.takeOver({ ...entry, since: formatTimestamp(this.#clock.now()) });
  }

  /** Takes an entry as it is. Returns what restores the state before. */
  takeOver(record: DismissalRecord): () => void {
    const key = keyOf(record);
    const before = this.#held.get(key);
    this.#held.set(key, { record, enteredMs: this.#clock.monotonic() });
    return () => {
      if (this.#held.get(key)?.record !== record) return;
      if (before) this.#held.set(key, before);
      else this.#held.delete(key);
    };
  }

  /** Takes in what was found of these very records: one that was entered again meanwhile is another. */
  note(scope: string, { resolvedDismissals, kept, missing }: LedgerNews): Noted {
    const policies = new Map(kept.map(({ entry, policyKey }) => [entry, policyKey]));
    const dropped: DismissalRecord[] = [];
    let isChanged = false;
    for (const [key, held] of this.#held) {
      const { record } = held;
      if (record.scope !== scope) continue;
      const isMissing = missing.includes(record);
      const listed = resolvedDismissals.includes(record)
        ? undefined
        : found(held, policies.get(record) ?? record.policy);
      const next = isMissing ? this.#missed(held) : listed;
      if (isMissing && !next) dropped.push(record);
      if (next) this.#held.set(key, next);
      else this.#held.delete(key);
      isChanged ||= next?.record !== record;
    }
    return { isChanged, dropped };
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

  /** Undefined when the alert is gone for good. */
  #missed(held: Held): Held | undefined {
    const missing = nextMissing(held.missing, held.record.missingSince, this.#clock);
    if (isGoneForGood(missing, this.#clock.now())) return undefined;
    const isSaid = held.record.missingSince === missing.since;
    return { ...held, missing, record: isSaid ? held.record : { ...held.record, missingSince: missing.since } };
  }
}

/** The alert is listed, and that policy declares its dismissal or did last. */
function found({ record, enteredMs }: Held, policy: string): Held {
  if (record.policy === policy && record.missingSince === undefined) return { record, enteredMs };
  const { scope, alert, since } = record;
  return { record: { scope, alert, policy, since }, enteredMs };
}

function keyOf({ scope, alert }: LedgerRef): string {
  return `${scope}\n${canonicalName(alert)}`;
}
