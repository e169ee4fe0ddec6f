// Callers that succeeded at an address: the failures of others do not close their name there (attempt-limit.ts), also after a restart and
// in other processes of the database. Memory holds a copy of the newest ones, because every attempt asks.
import type { Clock } from '../../lib/clock.ts';
import { errorFields } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { Sql } from '../database/sql.ts';
import { openSharedCopy } from './shared-copy.ts';

export interface KnownCallers {
  has(key: string): boolean;
  /** In memory at once, and in the database once the promise resolves. Never rejects: a full disk must not refuse a right password. */
  add(key: string): MaybePromise<void>;
  /**
   * Resolves when the copy is fresh; undefined when it is. Never rejects: without what other processes added, the limits are only
   * stricter.
   */
  refresh(): Promise<void> | undefined;
}

/** Time after the last success, in milliseconds. */
const keptForMs = 30 * 86_400_000;

/** Time after which a further success is written again. */
const renewedAfterMs = 86_400_000;

/** Maximum number of callers in memory, about 150 bytes each. */
const most = 10_000;

export interface KnownCallersDeps {
  readonly sql: Sql;
  /** True when other processes may use the database. */
  readonly isShared: boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

export async function openKnownCallers({ sql, isShared, clock, log }: KnownCallersDeps): Promise<KnownCallers> {
  const copy = createCopy();

  const read = async (sinceMs: number) => {
    const rows = await sql.query(newest, [sinceMs]);
    for (const row of rows.toReversed()) copy.set(String(row['key']), Number(row['at_ms']));
  };

  const write = async (key: string, nowMs: number) => {
    await sql.query('DELETE FROM known_caller WHERE at_ms <= $1', [nowMs - keptForMs]);
    await sql.query(
      'INSERT INTO known_caller (key, at_ms) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET at_ms = excluded.at_ms',
      [key, nowMs],
    );
  };

  const isWithin = (key: string, ageMs: number) => {
    const atMs = copy.get(key);
    return atMs !== undefined && clock.now() - atMs < ageMs;
  };

  const { refresh } = await openSharedCopy({
    read,
    sinceMs: clock.now() - keptForMs + 1,
    onFailed: (error) => log.warn(errorFields(error), 'callers that succeeded in other processes not read'),
    isShared,
    clock,
  });
  return {
    has: (key) => isWithin(key, keptForMs),
    add(key) {
      if (isWithin(key, renewedAfterMs)) {
        copy.touch(key);
        return undefined;
      }
      const nowMs = clock.now();
      copy.set(key, nowMs);
      return write(key, nowMs).catch(() => undefined);
    },
    refresh,
  };
}

const newest = `SELECT key, at_ms FROM known_caller WHERE at_ms >= $1 ORDER BY at_ms DESC LIMIT ${most}`;

/** The times of the most recent keys. */
function createCopy() {
  const times = new Map<string, number>();
  const set = (key: string, atMs: number) => {
    times.delete(key);
    times.set(key, atMs);
    const [oldest] = times.keys();
    if (times.size > most && oldest !== undefined) times.delete(oldest);
  };
  return {
    get: (key: string) => times.get(key),
    set,
    /** Makes the key the most recent one, so that many new callers drop no caller that is in use. */
    touch(key: string) {
      const atMs = times.get(key);
      if (atMs !== undefined) set(key, atMs);
    },
  };
}
