// The deactivations that were sent through one connection (plan/recent-deactivations.ts). Its status stores them, so that a restart does not
// begin anew; while the process runs, the monotonic clock measures their age, so that a step of the wall clock does not either.
import { canonicalName } from '../alerts/resource-id.ts';
import type { Clock } from '../lib/clock.ts';
import { isSameJson } from '../lib/same-json.ts';
import { formatTimestamp } from '../lib/timestamp.ts';
import type { PlanInput } from '../plan/plan-input.ts';
import { ageMs, countsByNamespace, hourMs, recentLimit } from '../plan/recent-deactivations.ts';
import type { RecentDeactivation } from '../policy/generated/role-alert-connection.ts';
import type { AnyConnection } from '../policy/resources.ts';

/** One that was recorded. */
export interface SentDeactivation {
  readonly record: RecentDeactivation;
  /** Monotonic milliseconds: of its record, and of its send once that begins. */
  sentMs: number;
}

/** What a plan takes of the deactivations so far. */
export type DeactivationFacts = Pick<
  PlanInput,
  'deactivationsLeft' | 'deactivationsByNamespace' | 'nextDeactivationMs' | 'recentDeactivations'
>;

export class Deactivations {
  readonly #clock: Clock;
  readonly #windowMsAt: (scope: string) => number;
  /** The oldest first. */
  #sent: readonly SentDeactivation[] = [];

  /** `windowMsAt`: the longest damping window of the policies at the scope. */
  constructor(clock: Clock, windowMsAt: (scope: string) => number) {
    this.#clock = clock;
    this.#windowMsAt = windowMsAt;
  }

  load(records: readonly RecentDeactivation[]): void {
    this.#sent = [];
    this.adopt(records);
  }

  /** Adds those that are not known. */
  adopt(records: readonly RecentDeactivation[]): void {
    const [nowMs, monotonicMs] = [this.#clock.now(), this.#clock.monotonic()];
    const unknown = records.filter((record) => !this.#sent.some((each) => isSameJson(each.record, record)));
    const adopted = unknown.map((record) => ({ record, sentMs: monotonicMs - ageMs(record, nowMs) }));
    this.#sent = [...this.#sent, ...adopted].sort((a, b) => a.sentMs - b.sentMs);
  }

  /** Those that still count, the oldest first. */
  records(): readonly RecentDeactivation[] {
    const nowMs = this.#clock.monotonic();
    const isCounted = ({ record, sentMs }: SentDeactivation) =>
      nowMs - sentMs < Math.max(hourMs, this.#windowMsAt(record.scope));
    if (!this.#sent.every(isCounted)) this.#sent = this.#sent.filter(isCounted);
    return this.#sent.map(({ record }) => record);
  }

  /** What they allow at the scope now. `except`: one that is not counted. */
  factsFor(connection: AnyConnection | undefined, scope: string, except?: SentDeactivation): DeactivationFacts {
    return {
      deactivationsLeft: this.left(connection?.spec.limits.deactivationsPerHour ?? 0, except),
      deactivationsByNamespace: connection && countsByNamespace(connection, this.ofHour(except)),
      nextDeactivationMs: this.nextMs(),
      recentDeactivations: this.of(scope, except),
    };
  }

  /** How many more may be sent within this hour. `except`: one that is not counted. */
  left(perHour: number, except?: SentDeactivation): number {
    return Math.min(perHour - this.#withinHour(except).length, recentLimit - this.records().length);
  }

  /** Those of the last hour. */
  ofHour(except?: SentDeactivation): readonly RecentDeactivation[] {
    return this.#withinHour(except).map(({ record }) => record);
  }

  /** When each alert of the scope was deactivated, the oldest first, by `canonicalName`; milliseconds since 1970. */
  of(scope: string, except?: SentDeactivation): ReadonlyMap<string, readonly number[]> {
    const toWallMs = this.#clock.now() - this.#clock.monotonic();
    const own = this.#sent.filter((each) => each !== except && each.record.scope === scope);
    const groups = Map.groupBy(own, ({ record }) => canonicalName(record.alert));
    return new Map([...groups].map(([alert, of]) => [alert, of.map(({ sentMs }) => sentMs + toWallMs)]));
  }

  /** When the oldest of the last hour stops counting; undefined without any. Whole milliseconds since 1970. */
  nextMs(): number | undefined {
    const [oldest] = this.#withinHour();
    return oldest && Math.ceil(this.#clock.now() + oldest.sentMs + hourMs - this.#clock.monotonic());
  }

  /** Adds one that is about to be sent. */
  add(what: Omit<RecentDeactivation, 'at'>): SentDeactivation {
    const record = { at: formatTimestamp(this.#clock.now()), ...what };
    const sent = { record, sentMs: this.#clock.monotonic() };
    this.#sent = [...this.#sent, sent];
    return sent;
  }

  remove(sent: SentDeactivation): void {
    this.#sent = this.#sent.filter((each) => each !== sent);
  }

  #withinHour(except?: SentDeactivation): readonly SentDeactivation[] {
    const nowMs = this.#clock.monotonic();
    return this.#sent.filter((each) => each !== except && nowMs - each.sentMs < hourMs);
  }
}
