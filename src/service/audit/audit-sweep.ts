// Deletes what the audit trail keeps no longer, for its age or for the size of the trail: regularly, in bounded steps, between which requests
// are answered.
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Clock, Timer } from '../../lib/clock.ts';
import { errorFields } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import type { SqlQueries } from '../database/sql.ts';
import { createAuditSize, type AuditSize } from './audit-size.ts';
import { deleteOldAudit } from './audit-trail.ts';

export interface AuditSweepDeps {
  readonly sql: SqlQueries;
  readonly retentionMs: number;
  readonly mostBytes: number;
  /** Called with the size of the trail after each sweep. */
  readonly onSwept: (bytes: number) => void;
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
  const size = createAuditSize({ ...deps, onDeleted: warnOnce(deps) });

  const sweepAll = async () => {
    while (!stopping.signal.aborted && (await deleteSome(deps, size))) await nextTurn();
    deps.onSwept(size.bytes);
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
async function deleteSome({ sql, retentionMs, clock }: AuditSweepDeps, size: AuditSize): Promise<boolean> {
  const hasMoreOld = await deleteOldAudit(sql, clock.now() - retentionMs);
  const hasMoreBeyond = await size.step();
  return hasMoreOld || hasMoreBeyond;
}

function warnOnce({ log, mostBytes }: AuditSweepDeps): () => void {
  let hasWarned = false;
  return () => {
    if (!hasWarned) log.warn({ mostBytes }, 'audit records deleted before their time: the trail has its maximum size');
    hasWarned = true;
  };
}
