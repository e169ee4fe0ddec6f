// The ledger of one connection in memory: which alerts are inactive because of this operator, and since when a
// deactivation of each may have been sent. connection-status-writer.ts persists it.
import { canonicalName } from '../alerts/resource-id.ts';
import type { Clock } from '../lib/clock.ts';
import { isSameJson } from '../lib/same-json.ts';
import { formatTimestamp } from '../lib/timestamp.ts';
import type { LedgerNews } from '../plan/decisions.ts';
import { type Declaration, withDeclaration } from '../plan/register.ts';
import { verifyWindowMs } from '../plan/writes.ts';
import type { DismissalRecord } from '../policy/generated/role-alert-connection.ts';
import { isGoneForGood, type Missing, nextMissing } from './missing.ts';

/** Identifies an entry. */
export type LedgerRef = Pick<DismissalRecord, 'scope' | 'alert'>;

interface Held {
  readonly record: DismissalRecord;
  /**
   * When its last deactivation was recorded, or the entry taken over. Monotonic milliseconds, because the wall clock of
   * `since` may step.
   */
  readonly enteredMs: number;
  /** Set while the service does not list the alert. */
  readonly missing?: Missing;
}

export interface Noted {
  /** Whether the status has to be written. `MayWait`: only what entries show of their declarations changed. */
  readonly change: 'None' | 'MayWait' | 'Now';
  /** Entries that ended because their alert is gone for good. */
  readonly dropped: readonly DismissalRecord[];
}

export class Ledger {
  readonly #clock: Clock;
  readonly #onPolicyLeft: (policyKey: string) => void;
  readonly #held = new Map<string, Held>();
  /** Canonical scope → the keys of its entries in `#held`, in the same order. */
  readonly #keysOf = new Map<string, Set<string>>();
  #version = 0;
  #bytes = 0;

  /** `onPolicyLeft` is called when an entry of the policy ends, or shows another policy from now on. */
  constructor(clock: Clock, onPolicyLeft: (policyKey: string) => void = () => undefined) {
    this.#clock = clock;
    this.#onPolicyLeft = onPolicyLeft;
  }

  /** Changes with every change of a record. */
  get version(): number {
    return this.#version;
  }

  /** Replaces all entries by those of a status. */
  load(records: readonly DismissalRecord[]): void {
    for (const [key, { record }] of this.#held) this.#delete(key, record.scope);
    for (const record of records) this.takeOver(record);
  }

  get size(): number {
    return this.#held.size;
  }

  /** The size of all records in a status, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  records(): DismissalRecord[] {
    return [...this.#held.values()].map(({ record }) => record);
  }

  recordsOf(scope: string): DismissalRecord[] {
    return this.#heldOf(scope).map(([, { record }]) => record);
  }

  scopes(): Set<string> {
    return new Set(this.records().map(({ scope }) => scope));
  }

  find(ref: LedgerRef): DismissalRecord | undefined {
    return this.#held.get(keyOf(ref))?.record;
  }

  /**
   * Records a deactivation that is about to be sent; an existing entry gets the new `since`. The returned function
   * restores the previous entry, for a deactivation that certainly had no effect. Call it at most once.
   */
  recordDismissal(entry: Omit<DismissalRecord, 'since'>): () => void {
    return this.takeOver({ ...entry, since: formatTimestamp(this.#clock.now()) });
  }

  /** Sets an entry as given. Returns a function that restores the previous entry. */
  takeOver(record: DismissalRecord): () => void {
    const key = keyOf(record);
    const before = this.#held.get(key);
    this.#set(key, { record, enteredMs: this.#clock.monotonic() });
    return () => {
      if (this.#held.get(key)?.record !== record) return;
      if (before) this.#set(key, before);
      else this.#delete(key, record.scope);
    };
  }

  /**
   * Updates the entries of the scope from a list. An entry that was replaced since the list stays; entries
   * that are not missing lose `missingSince`, and all show the dismissal that is declared now.
   */
  note(scope: string, { resolvedDismissals, missing, declared }: LedgerNews): Noted {
    const dropped: DismissalRecord[] = [];
    let change: Noted['change'] = 'None';
    for (const [key, held] of this.#heldOf(scope)) {
      const { record } = held;
      const isMissing = missing.includes(record);
      const shown = { ...held, record: showing(record, declared.get(record)) };
      const listed = resolvedDismissals.includes(record) ? undefined : found(shown);
      const next = isMissing ? this.#missed(shown) : listed;
      if (isMissing && !next) dropped.push(record);
      if (next) this.#set(key, next);
      else this.#delete(key, scope);
      if (change !== 'Now' && next?.record !== record)
        change = isDescribedAnew(record, next?.record) ? 'MayWait' : 'Now';
    }
    return { change, dropped };
  }

  /**
   * Canonical names of the scope's alerts whose last deactivation may have taken effect after `listBegunMs`
   * (monotonic): a list that began then and shows them active proves nothing.
   */
  unprovenBy(scope: string, listBegunMs: number): Set<string> {
    const unproven = new Set<string>();
    for (const [, { record, enteredMs }] of this.#heldOf(scope)) {
      if (listBegunMs - enteredMs < verifyWindowMs) unproven.add(canonicalName(record.alert));
    }
    return unproven;
  }

  #heldOf(scope: string): [string, Held][] {
    return [...(this.#keysOf.get(scope) ?? [])].flatMap((key) => {
      const held = this.#held.get(key);
      return held ? [[key, held] as [string, Held]] : [];
    });
  }

  #set(key: string, held: Held): void {
    const { scope } = held.record;
    this.#keysOf.set(scope, (this.#keysOf.get(scope) ?? new Set<string>()).add(key));
    const before = this.#held.get(key)?.record;
    this.#held.set(key, held);
    if (before !== held.record) this.#changed(before, held.record);
  }

  #delete(key: string, scope: string): void {
    const keys = this.#keysOf.get(scope);
    keys?.delete(key);
    const before = this.#held.get(key)?.record;
    if (this.#held.delete(key)) this.#changed(before, undefined);
    if (keys?.size === 0) this.#keysOf.delete(scope);
  }

  #changed(before: DismissalRecord | undefined, after: DismissalRecord | undefined): void {
    this.#version++;
    this.#bytes += bytesOf(after) - bytesOf(before);
    if (before && before.policy !== after?.policy) this.#onPolicyLeft(before.policy);
  }

  /** Undefined when the alert is gone for good. */
  #missed(held: Held): Held | undefined {
    const missing = nextMissing(held.missing, held.record.missingSince, this.#clock);
    if (isGoneForGood(missing, this.#clock.now())) return undefined;
    const isRecorded = held.record.missingSince === missing.since;
    return { ...held, missing, record: isRecorded ? held.record : { ...held.record, missingSince: missing.since } };
  }
}

/** With the comma that separates it from the next one. */
function bytesOf(record: DismissalRecord | undefined): number {
  return record ? Buffer.byteLength(JSON.stringify(record)) + 1 : 0;
}

/** The same record while it shows that declaration already. */
function showing(record: DismissalRecord, declaration: Declaration | undefined): DismissalRecord {
  const next = declaration && withDeclaration(record, declaration);
  return next === undefined || isSameJson(next, record) ? record : next;
}

/** True when the records differ only in what they show of the declaration of the same policy. */
function isDescribedAnew(before: DismissalRecord, after: DismissalRecord | undefined): boolean {
  const bare = (record: DismissalRecord) => withDeclaration(record, { policy: record.policy });
  return after !== undefined && isSameJson(bare(after), bare(before));
}

/** The entry of a listed alert. */
function found({ record, enteredMs }: Held): Held {
  if (record.missingSince === undefined) return { record, enteredMs };
  const { missingSince: _, ...listed } = record;
  return { record: listed, enteredMs };
}

function keyOf({ scope, alert }: LedgerRef): string {
  return `${scope}\n${canonicalName(alert)}`;
}
