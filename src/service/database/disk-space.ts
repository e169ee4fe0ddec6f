// Whether the data file can be written. While the disk is full, updates still try, and a probe tests for the return of space, so that
// readiness is right without them. Logs one line when the disk is full, and one when it has space again.
import type { Clock, Timer } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import { troubleOf } from './sqlite-failure.ts';

/** Time between two probes. */
const probedEveryMs = 5000;

export interface DiskSpaceDeps {
  readonly clock: Clock;
  readonly log: Logger;
}

export interface DiskSpace {
  readonly isFull: boolean;
  /** A write failed. Has an effect only for lack of space. */
  failed(error: unknown): void;
  /** Ends the probes. Idempotent. */
  stop(): void;
}

/** `probe` writes something without a meaning. */
export function watchDiskSpace(probe: () => MaybePromise<void>, { clock, log }: DiskSpaceDeps): DiskSpace {
  let isFull = false;
  let isStopped = false;
  let timer: Timer | undefined;

  const test = async () => {
    try {
      await probe();
      if (!isStopped) log.info({}, 'disk of the data file has space again');
      isFull = false;
    } catch (error) {
      log.debug({ error: messageOf(error) }, 'disk of the data file still full');
      schedule();
    }
  };
  const schedule = () => {
    if (!isStopped) timer = clock.setTimer(probedEveryMs, () => void test());
  };

  return {
    get isFull() {
      return isFull;
    },
    failed(error) {
      if (isFull || isStopped || troubleOf(error) !== 'full') return;
      isFull = true;
      log.error({ error: messageOf(error) }, 'disk of the data file is full: serving lists, refusing updates');
      schedule();
    },
    stop() {
      isStopped = true;
      timer?.cancel();
    },
  };
}
