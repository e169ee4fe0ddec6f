// The deactivations that were sent through one connection, whatever policy declared them and whatever their result. They bound how often an
// alert is deactivated within the damping window, and how many alerts within an hour; nothing lifts that but time. The status of the
// connection stores them, so that a restart does not begin anew; while the process runs, the monotonic clock measures their age, so that a
// step of the wall clock does not either.
import { canonicalName } from '../../alerts/resource-id.ts';
import type { Clock } from '../../lib/clock.ts';
import { parseDuration } from '../../lib/duration.ts';
import { isSameJson } from '../../lib/json-shape.ts';
import { formatTimestamp } from '../../lib/timestamp.ts';
import type { RecentDeactivation } from '../../policy/generated/role-alert-connection.ts';
import { type AnyConnection, clusterConnectionKind, type RoleAlertPolicy } from '../../policy/resources.ts';

/** One that was recorded. */
export interface SentDeactivation {
  readonly record: RecentDeactivation;
  /** Monotonic milliseconds: of its record, and of its send once that begins. */
  sentMs: number;
}

/** What a plan takes of the deactivations so far. */
export interface DeactivationFacts {
  /** How many more deactivations the connection may send within this hour. */
  readonly deactivationsLeft: number;
  /** How many fewer each namespace may send, because of what it sent before; undefined unless namespaces share the connection. */
  readonly deactivationsByNamespace: ReadonlyMap<string, number> | undefined;
  /** When the next deactivation is allowed, if none is left; milliseconds since 1970. */
  readonly nextDeactivationMs: number | undefined;
  /** When alerts of the scope were deactivated through the connection, the oldest first, by `canonicalName`; milliseconds since 1970. */
  readonly recentDeactivations: ReadonlyMap<string, readonly number[]>;
}

/**
 * The longest time from an entry in the ledger to the send. For two minutes after it, the PATCH included, a list proves
 * nothing about the entry.
 */
export const longestEntryMs = 90_000;

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
    // It was sent after its record; as late as it may have been, no limit is exceeded.
    const adopted = unknown.map((record) => ({ record, sentMs: monotonicMs - ageMs(record, nowMs) + longestEntryMs }));
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
    const [nowMs, perHour] = [this.#clock.monotonic(), connection?.spec.limits.deactivationsPerHour ?? 0];
    const toWallMs = this.#clock.now() - nowMs;
    const all = this.records();
    const ofHour = this.#sent.filter(({ sentMs }) => nowMs - sentMs < hourMs);
    const hour = ofHour.filter((each) => each !== except).map(({ record }) => record);
    const own = this.#sent.filter((each) => each !== except && each.record.scope === scope);
    const groups = Map.groupBy(own, ({ record }) => canonicalName(record.alert));
    const times = [...groups].map(([alert, of]) => [alert, of.map(({ sentMs }) => sentMs + toWallMs)] as const);
    const left = { ofHour: perHour - hour.length, room: recentLimit - all.length };
    return {
      deactivationsLeft: Math.min(left.ofHour, left.room),
      deactivationsByNamespace: connection && sharesOf(connection, left, all, hour),
      nextDeactivationMs: ofHour[0] && Math.ceil(ofHour[0].sentMs + hourMs + toWallMs),
      recentDeactivations: new Map(times),
    };
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
}

/** How many fewer than are left each namespace may send: of the hour and of the room alike it uses at most as many as it leaves. */
function sharesOf(
  connection: AnyConnection,
  left: { readonly ofHour: number; readonly room: number },
  all: readonly RecentDeactivation[],
  hour: readonly RecentDeactivation[],
): ReadonlyMap<string, number> | undefined {
  const [used, ofHour] = [countsByNamespace(connection, all), countsByNamespace(connection, hour)];
  const leftTo = (namespace: string, own: number) =>
    Math.min(left.ofHour - (ofHour?.get(namespace) ?? 0), left.room - own);
  const shareOf = ([namespace, own]: readonly [string, number]) =>
    [namespace, Math.min(left.ofHour, left.room) - leftTo(namespace, own)] as const;
  return used && new Map([...used].map(shareOf));
}

export const hourMs = 3_600_000;
/** The window where no policy names one. */
const defaultWindowMs = 6 * hourMs;

/** The number of deactivations that the schema allows in the status of a connection. */
export const recentLimit = 500;

/** The longest damping window of the policies at a scope; milliseconds. */
export function longestDampingWindowMs(policies: readonly RoleAlertPolicy[]): number {
  return policies.length === 0 ? defaultWindowMs : Math.max(...policies.map(dampingWindowMs));
}

/** The damping window of the policy; milliseconds. */
export function dampingWindowMs({ spec }: Pick<RoleAlertPolicy, 'spec'>): number {
  return parseDuration(spec.damping.window) ?? defaultWindowMs;
}

/**
 * How long ago it was; milliseconds. A time in the future comes from another clock, so it counts as now: after a fail-over to a clock
 * an hour behind, the hour still holds.
 */
export function ageMs({ at }: RecentDeactivation, nowMs: number): number {
  return Math.max(nowMs - Date.parse(at), 0);
}

/** How many there are of each namespace; undefined unless namespaces share the connection. */
export function countsByNamespace(
  { kind }: Pick<AnyConnection, 'kind'>,
  recent: readonly RecentDeactivation[],
): ReadonlyMap<string, number> | undefined {
  if (kind !== clusterConnectionKind) return undefined;
  const groups = Map.groupBy(recent, ({ namespace }) => namespace);
  return new Map([...groups].map(([namespace, of]) => [namespace, of.length]));
}

/**
 * When the policy may deactivate the alert again, in milliseconds since 1970; undefined when it may now. `sentMs`: when the alert was
 * deactivated through the connection, the oldest first.
 */
export function dampedUntilMs(
  policy: Pick<RoleAlertPolicy, 'spec'>,
  sentMs: readonly number[],
  nowMs: number,
): number | undefined {
  const windowMs = dampingWindowMs(policy);
  const within = sentMs.filter((ms) => nowMs - ms < windowMs);
  const first = within.at(-policy.spec.damping.maxDeactivations);
  return first === undefined ? undefined : first + windowMs;
}
