// Deletes what the audit trail keeps no longer: regularly, in bounded steps, between which requests are answered.
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Clock, Timer } from '../../lib/clock.ts';
import { errorFields } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import type { SqlQueries } from '../database/sql.ts';
import { deleteAuditBeyond, deleteOldAudit } from './audit-trail.ts';

export interface AuditSweepDeps {
  readonly sql: SqlQueries;
  readonly retentionMs: number;
  /** Maximum number of records; absent: no maximum. */
  readonly mostRecords?: number | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface AuditSweep {
  /** Idempotent. */
  start(): void;
  /** Waits for the current step. Idempotent. */
  stop(): Promise<void>;
}

const intervalMs = 10_000;

export function createAuditSweep(deps: AuditSweepDeps): AuditSweep {
  let timer: Timer | undefined;
  const stopping = new AbortController();
  let last: Promise<void> = Promise.resolve();

  const sweepAll = async () => {
    while (!stopping.signal.aborted && (await deleteSome(deps))) await nextTurn();
  };
  const run = () => {
    last = sweepAll().catch((error: unknown) => {
      if (!stopping.signal.aborted) deps.log.error(errorFields(error), 'audit records not deleted');
    });
    void last.then(schedule);
  };
  const schedule = () => {
    if (!stopping.signal.aborted) timer = deps.clock.setTimer(intervalMs, run);
  };

  return {
    start() {
      if (timer === undefined) schedule();
    },
    async stop() {
      stopping.abort();
      timer?.cancel();
      await last;
    },
  };
}

/** True if more may follow. */
async function deleteSome({ sql, retentionMs, mostRecords, clock }: AuditSweepDeps): Promise<boolean> {
  const hasMoreOld = await deleteOldAudit(sql, clock.now() - retentionMs);
  const hasMoreBeyond = mostRecords !== undefined && (await deleteAuditBeyond(sql, mostRecords));
  return hasMoreOld || hasMoreBeyond;
}
