// The ledger of one connection in memory: which alerts are inactive because of this operator, and since when a
// deactivation of each may have been sent. connection/status-writer.ts persists it.
import { canonicalName } from '../../alerts/resource-id.ts';
import type { Clock } from '../../lib/clock.ts';
import { isSameJson } from '../../lib/json-shape.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import type { DismissalRecord } from '../../policy/generated/role-alert-connection.ts';
import { type Declaration, verifyDeadlineMs, withDeclaration } from './register.ts';

/** Identifies an entry. */
export type LedgerRef = Pick<DismissalRecord, 'scope' | 'alert'>;

interface Held {
  readonly record: DismissalRecord;
  /** A list that begins before proves nothing: the last PATCH may take effect after it. Monotonic milliseconds. */
  readonly provableMs: number;
  /** What is known of the deactivations that were sent: one without a response so far, all accepted, or more than that. */
  readonly deactivation: 'Sent' | 'Accepted' | 'InDoubt';
  /** Set while the service does not list the alert. */
  readonly missing?: Missing;
}

export interface LedgerUpdate {
  /** Whether the status has to be written. */
  readonly hasChanged: boolean;
  /** Entries that ended because their alert is gone for good. */
  readonly dropped: readonly DismissalRecord[];
}

/** What a complete list says about the entries of its scope. */
export interface LedgerNews {
  /** Entries that are resolved, because the alert is active again. */
  readonly resolvedDismissals: readonly DismissalRecord[];
  /** Entries whose alert the service does not list. */
  readonly missing: readonly DismissalRecord[];
  /** What the register shows from now on of entries whose alert is not active. Other entries stay as they are. */
  readonly declared: ReadonlyMap<DismissalRecord, Declaration>;
}

export class Ledger {
  readonly #clock: Clock;
  readonly #held = new Map<string, Held>();
  /** Canonical scope → the keys of its entries in `#held`, in the same order. */
  readonly #keysOf = new Map<string, Set<string>>();
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces all entries by those of a status. */
  load(records: readonly DismissalRecord[]): void {
    for (const [key, { record }] of this.#held) this.#delete(key, record.scope);
    for (const record of records) this.takeOver(record);
  }

  get size(): number {
    return this.#held.size;
  }

  has(ref: LedgerRef): boolean {
    return this.#held.has(keyOf(ref));
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

  /**
   * Records a deactivation that is about to be sent; an existing entry gets the new `since`. The returned function
   * restores the previous entry, for a deactivation that certainly had no effect. Call it at most once.
   */
  recordDismissal(entry: Omit<DismissalRecord, 'since'>): () => void {
    const before = this.#held.get(keyOf(entry));
    const record = { ...entry, since: formatTimestamp(this.#clock.now()) };
    return this.#enter(record, !before || before.deactivation === 'Accepted' ? 'Sent' : 'InDoubt');
  }

  /**
   * The service accepted a PATCH. An activation that it accepted after every deactivation decides the flag: from now on a list proves it.
   */
  patchAccepted(ref: LedgerRef, isActive: boolean): void {
    const key = keyOf(ref);
    const held = this.#held.get(key);
    if (!held) return;
    if (!isActive && held.deactivation === 'Sent') this.#held.set(key, { ...held, deactivation: 'Accepted' });
    if (isActive && held.deactivation === 'Accepted')
      this.#held.set(key, { ...held, provableMs: this.#clock.monotonic() });
  }

  /** Sets an entry as given. */
  takeOver(record: DismissalRecord): void {
    this.#enter(record, 'InDoubt');
  }

  /** Returns a function that restores the previous entry. */
  #enter(record: DismissalRecord, deactivation: Held['deactivation']): () => void {
    const key = keyOf(record);
    const before = this.#held.get(key);
    // Not from `since`: the clock of the process that wrote it may have been another.
    this.#set(key, { record, provableMs: this.#clock.monotonic() + verifyDeadlineMs, deactivation });
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
  update(scope: string, { resolvedDismissals, missing, declared }: LedgerNews): LedgerUpdate {
    const dropped: DismissalRecord[] = [];
    let hasChanged = false;
    for (const [key, held] of this.#heldOf(scope)) {
      const { record } = held;
      const isMissing = missing.includes(record);
      const shown = { ...held, record: showing(record, declared.get(record)) };
      const listed = resolvedDismissals.includes(record) ? undefined : found(shown);
      const next = isMissing ? this.#missed(shown) : listed;
      if (isMissing && !next) dropped.push(record);
      if (next) this.#set(key, next);
      else this.#delete(key, scope);
      hasChanged ||= next?.record !== record;
    }
    return { hasChanged, dropped };
  }

  /**
   * Canonical names of the scope's alerts whose last deactivation may have taken effect after `listBegunMs`
   * (monotonic): a list that began then and shows them active proves nothing.
   */
  unprovenBy(scope: string, listBegunMs: number): Set<string> {
    const unproven = new Set<string>();
    for (const [, { record, provableMs }] of this.#heldOf(scope)) {
      if (listBegunMs < provableMs) unproven.add(canonicalName(record.alert));
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
    this.#bytes += bytesOf(after) - bytesOf(before);
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

/** The entry of a listed alert. */
function found({ record, provableMs, deactivation }: Held): Held {
  const { missingSince: _, ...listed } = record;
  return { record: record.missingSince === undefined ? record : listed, provableMs, deactivation };
}

function keyOf({ scope, alert }: LedgerRef): string {
  return `${scope}\n${canonicalName(alert)}`;
}

/** Attempts in a row that did not find the alert. */
export interface Missing {
  /** RFC 3339; the first of them. */
  readonly since: string;
  readonly attempts: number;
  /** When the last counted attempt was made; monotonic milliseconds. */
  readonly lastMs: number;
}

const dayMs = 86_400_000;
const attemptsNeeded = 3;
/** Attempts within this time count as one, so that a brief problem does not count three times. */
const spacingMs = 3_600_000;

/** `since`: the time in the entry, if any. A time in the future, or an unreadable one, begins anew. */
export function nextMissing(before: Missing | undefined, since: string | undefined, clock: Clock): Missing {
  const nowMs = clock.monotonic();
  if (before && nowMs - before.lastMs < spacingMs) return before;
  const isKnown = since !== undefined && Date.parse(since) <= clock.now();
  return {
    since: isKnown ? since : formatTimestamp(clock.now()),
    attempts: (before?.attempts ?? 0) + 1,
    lastMs: nowMs,
  };
}

/**
 * After three attempts that did not find the alert, over at least a day. The entry stores when they began, so that a restart does not begin
 * a new day; the number of attempts is in memory only.
 */
export function isGoneForGood({ since, attempts }: Missing, nowMs: number): boolean {
  return attempts >= attemptsNeeded && nowMs - Date.parse(since) >= dayMs;
}
