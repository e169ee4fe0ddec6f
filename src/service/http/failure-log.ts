// The log lines of requests that failed. What lasts is logged once, or once a minute, and not with each request that meets it.
import type { Clock } from '../../lib/clock.ts';
import { errorFields } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import { DataFileError } from '../database/data-file-error.ts';
import { DatabaseError } from '../database/database-error.ts';
import { createRecentKeys } from '../recent-keys.ts';
import type { ServiceRequest } from './message.ts';

export type LogFailure = (error: unknown, request: Pick<ServiceRequest, 'requestID'>) => void;

export interface FailureLogDeps {
  readonly clock: Clock;
  readonly log: Logger;
}

/** Failures that are remembered because only a start ends them: places that are damaged, and a lost file. */
const rememberedFailures = 1000;

/** Time between two lines about what the database cannot do, for each SQLSTATE, or about a full disk. */
const reportedEveryMs = 60_000;

export function createFailureLog({ clock, log }: FailureLogDeps): LogFailure {
  const lasting = createRecentKeys(rememberedFailures);
  const reportedMs = new Map<string | undefined, number>();

  const isReported = (error: DatabaseError | DataFileError): boolean => {
    const state = error instanceof DatabaseError ? error.state : error.code;
    const nowMs = clock.monotonic();
    if (nowMs - (reportedMs.get(state) ?? -Infinity) < reportedEveryMs) return true;
    reportedMs.set(state, nowMs);
    return false;
  };

  return (error, { requestID }) => {
    // Logged once for all requests, by `postgres/availability.ts`.
    if (error instanceof DatabaseError && error.code === 'database-away') return;
    const fields = { requestID, ...errorFields(error) };
    if (error instanceof DatabaseError || isFull(error)) {
      if (!isReported(error)) log.error(fields, 'request failed: the database cannot do this now');
      return;
    }
    if (!isLasting(error)) {
      log.error(fields, 'request failed');
      return;
    }
    if (lasting.has(error.message)) log.debug(fields, 'request failed again');
    else log.error(fields, 'request failed');
    lasting.add(error.message);
  };
}

function isFull(error: unknown): error is DataFileError {
  return error instanceof DataFileError && error.code === 'data-file-full';
}

/** The message names the place. */
function isLasting(error: unknown): error is DataFileError {
  return error instanceof DataFileError && (error.code === 'data-file-damaged' || error.code === 'data-file-lost');
}
