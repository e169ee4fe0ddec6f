// Whether the database is reachable. While it is not, requests fail at once instead of waiting for a timeout each, and one probe at a
// time tests for its return. Logs one line for the loss and one for the return.
import type { Clock, Timer } from '../../lib/clock.ts';
import { errorFields } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import { DatabaseError } from '../database/database-error.ts';
import { isRefusal } from './classify-failure.ts';

/** Time between the end of a failed probe and the next one. */
const probedEveryMs = 500;

export interface AvailabilityDeps {
  /** Resolves when the database responds. */
  readonly probe: () => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Availability {
  readonly isAway: boolean;
  /** A connection failed or was lost. The first probe starts at once, so that the loss of one connection ends with it. */
  lost(error: unknown): void;
  /** Ends the probes. Idempotent. */
  stop(): void;
}

export function createAvailability({ probe, clock, log }: AvailabilityDeps): Availability {
  let isAway = false;
  let isStopped = false;
  let lostMs = 0;
  let timer: Timer | undefined;

  const returned = () => {
    if (isStopped) return;
    isAway = false;
    log.info({ awayMs: Math.round(clock.monotonic() - lostMs) }, 'database reachable again');
  };
  const retry = () => {
    if (!isStopped) timer = clock.setTimer(probedEveryMs, check);
  };
  const check = () => void probe().then(returned, retry);

  return {
    get isAway() {
      return isAway;
    },
    lost(error) {
      if (isAway || isStopped) return;
      isAway = true;
      lostMs = clock.monotonic();
      log.error(errorFields(error), lossOf(error));
      check();
    },
    stop() {
      isStopped = true;
      timer?.cancel();
    },
  };
}

/** A server that refuses a connection, for example because of the password, is reachable; an administrator has to change something. */
function lossOf(error: unknown): string {
  return error instanceof DatabaseError && isRefusal(error)
    ? 'database refuses connections: requests get 503 until it accepts one'
    : 'database not reachable: requests get 503 until it is';
}
