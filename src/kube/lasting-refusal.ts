// How long the API server has refused a collection: because the permission is missing, or because it does not serve the resource. A
// failure that proves neither, such as an expired credential or a timeout, counts neither way.
import type { Clock } from '../lib/clock.ts';
import type { KubeFailure } from './kube-error.ts';

export class LastingRefusal {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #limitMs: number;
  #sinceMs: number | undefined;

  /** `limitMs`: how long a refusal may last; never too long with `Infinity`. */
  constructor(clock: Pick<Clock, 'monotonic'>, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** True for a refusal when the first one since the last success is older than the limit. */
  isTooLong(failure: KubeFailure): boolean {
    if (!isRefusal(failure)) return false;
    this.#sinceMs ??= this.#clock.monotonic();
    return this.#clock.monotonic() - this.#sinceMs >= this.#limitMs;
  }

  /** The API server has served a list or a watch. */
  end(): void {
    this.#sinceMs = undefined;
  }
}

function isRefusal({ code, status }: KubeFailure): boolean {
  return code === 'kube-not-found' || (code === 'kube-denied' && status !== 401);
}
