// Durations of responses that a histogram has not observed yet. An observation between the steps of a request costs three times as much as
// one of many in a row, because prom-client's code and data have left the caches of the processor.
import type { RouteName } from '../http/message.ts';

/** Maximum number of durations of one route that wait; they also wait no longer than until the next scrape. */
const mostWaiting = 500;

export class WaitingDurations {
  readonly #observe: (route: RouteName, seconds: number) => void;
  readonly #byRoute = new Map<RouteName, number[]>();

  constructor(observe: (route: RouteName, seconds: number) => void) {
    this.#observe = observe;
  }

  add(route: RouteName, seconds: number): void {
    const waiting = this.#byRoute.get(route);
    if (!waiting) this.#byRoute.set(route, [seconds]);
    else if (waiting.push(seconds) >= mostWaiting) this.#observeEach(route, waiting);
  }

  observeAll(): void {
    for (const [route, waiting] of this.#byRoute) this.#observeEach(route, waiting);
  }

  #observeEach(route: RouteName, waiting: number[]): void {
    for (const seconds of waiting.splice(0)) this.#observe(route, seconds);
  }
}
