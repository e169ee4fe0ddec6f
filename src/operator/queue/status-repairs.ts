// When to repair a status that another client changed: a second later, and each time twice as late. Two clients that each write a status of
// their own would otherwise take turns as fast as the API server responds.
import type { Clock, Timer } from '../../lib/clock.ts';
import { doublingMs } from '../../lib/duration.ts';
import type { Logger } from '../../lib/log.ts';
import { type AnyConnection, referenceTo, type RoleAlertPolicy } from '../../policy/resources.ts';

interface Repair {
  /** When another client last changed the status; monotonic milliseconds. */
  lastMs: number;
  /** Repairs so far. */
  count: number;
  timer: Timer | undefined;
}

const firstDelayMs = 1000;
const longestDelayMs = 300_000;
/** A change after this time does not answer the last repair. */
const quietMs = 2 * longestDelayMs;

export class StatusRepairs {
  readonly #clock: Clock;
  readonly #log: Logger;
  /** By uid. Only objects whose status another client changed have one. */
  readonly #repairs = new Map<string, Repair>();

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Another client changed the status or the finalizer of `object`; calls `repair` when its back-off has passed. */
  changed(object: RoleAlertPolicy | AnyConnection, repair: () => void): void {
    const known = this.#repairOf(object);
    if (known.timer) return;
    const delayMs = doublingMs(++known.count, firstDelayMs, longestDelayMs);
    known.timer = this.#clock.setTimer(delayMs, () => {
      known.timer = undefined;
      repair();
    });
  }

  forget(uid: string): void {
    this.#repairs.get(uid)?.timer?.cancel();
    this.#repairs.delete(uid);
  }

  stop(): void {
    for (const uid of this.#repairs.keys()) this.forget(uid);
  }

  #repairOf(object: RoleAlertPolicy | AnyConnection): Repair {
    const { uid } = object.metadata;
    const nowMs = this.#clock.monotonic();
    const known = this.#repairs.get(uid);
    if (known && (known.timer || nowMs - known.lastMs < quietMs)) {
      known.lastMs = nowMs;
      return known;
    }
    const { kind, namespace, name } = referenceTo(object);
    this.#log.warn({ kind, namespace, name }, 'status changed by another client');
    const repair = { lastMs: nowMs, count: 0, timer: undefined };
    this.#repairs.set(uid, repair);
    return repair;
  }
}
