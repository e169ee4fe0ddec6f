// Revoked tokens. Access tokens are signed and need no record, so the few that are revoked are recorded until the last of them has
// ended: one by its id (`jti`), all of a delegation by the id of the delegation. Memory holds a copy, because every request asks.
import type { Clock } from '../../lib/clock.ts';
import type { Sql, SqlQueries } from '../database/sql.ts';
import { openSharedCopy, overlapMs, type SharedCopy } from './shared-copy.ts';

/** Time between two visits of all entries: a client may revoke hundreds of thousands of tokens within their lifetime. */
const sweptEveryMs = 60_000;

/** `refresh` rejects when the table cannot be read: a token that another process revoked must not work on. */
export interface Revocations extends SharedCopy {
  /** Asks the copy for any of the ids. */
  readonly isRevoked: (...ids: readonly (string | undefined)[]) => boolean;
  /** On disk once the promise resolves, and in force in this process. `together` runs in the same transaction. */
  revoke(id: string, together?: (tx: SqlQueries) => Promise<unknown>): Promise<void>;
}

export interface RevocationsDeps {
  readonly sql: Sql;
  /** Maximum remaining life of a revoked access token. */
  readonly tokenLifetimeMs: number;
  /** True when other processes may use the database. */
  readonly isShared: boolean;
  readonly clock: Clock;
}

export async function openRevocations({
  sql,
  tokenLifetimeMs,
  isShared,
  clock,
}: RevocationsDeps): Promise<Revocations> {
  /** When each entry can be dropped. */
  const endsAtMsOf = new Map<string, number>();
  let sweptMs = -Infinity;

  const dropEnded = (nowMs: number) => {
    if (clock.monotonic() - sweptMs < sweptEveryMs) return;
    sweptMs = clock.monotonic();
    for (const [id, endsAtMs] of endsAtMsOf) if (endsAtMs <= nowMs) endsAtMsOf.delete(id);
  };

  const read = async (sinceMs: number) => {
    const rows = await sql.query('SELECT id, ends_at_ms FROM revoked_token WHERE revoked_at_ms >= $1', [sinceMs]);
    for (const row of rows) endsAtMsOf.set(String(row['id']), Number(row['ends_at_ms']));
    dropEnded(clock.now());
  };

  const { refresh } = await openSharedCopy({ read, sinceMs: 0, isShared, clock });
  return {
    refresh,
    isRevoked: (...ids) => endsAtMsOf.size > 0 && ids.some((id) => id !== undefined && endsAtMsOf.has(id)),
    async revoke(id, together) {
      const nowMs = clock.now();
      const endsAtMs = nowMs + tokenLifetimeMs + overlapMs;
      dropEnded(nowMs);
      await sql.query('DELETE FROM revoked_token WHERE ends_at_ms <= $1', [nowMs]);
      const insert = (queries: SqlQueries) =>
        queries.query(
          `INSERT INTO revoked_token (id, revoked_at_ms, ends_at_ms) VALUES ($1, $2, $3)
           ON CONFLICT (id) DO NOTHING`,
          [id, nowMs, endsAtMs],
        );
      if (!together) await insert(sql);
      else
        await sql.transaction(async (tx) => {
          await insert(tx);
          await together(tx);
        });
      endsAtMsOf.set(id, endsAtMs);
    },
  };
}
