// Counts of responses by route and status, which a metric reads at each scrape: prom-client builds a text of the labels for each
// increment, and here is one for every request.
import type { RouteName } from '../service/http/message.ts';

export interface AnswerCount {
  readonly route: RouteName;
  readonly status: number;
  count: number;
}

export class AnswerCounts {
  readonly #byRoute = new Map<RouteName, Map<number, AnswerCount>>();
  readonly #all: AnswerCount[] = [];

  add(route: RouteName, status: number): void {
    const found = this.#byRoute.get(route)?.get(status);
    if (found) found.count += 1;
    else this.#begin(route, status);
  }

  /** In the order of their first responses. */
  all(): readonly Readonly<AnswerCount>[] {
    return this.#all;
  }

  #begin(route: RouteName, status: number): void {
    const byStatus = this.#byRoute.get(route) ?? new Map<number, AnswerCount>();
    const begun = { route, status, count: 1 };
    this.#all.push(begun);
    this.#byRoute.set(route, byStatus.set(status, begun));
  }
}
