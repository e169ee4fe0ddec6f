// Counts of responses by route and status, which a metric reads at each scrape: prom-client builds a text of the labels for each
// increment, and here is one for every request.
import type { RouteName } from '../http/message.ts';

export interface AnswerCount {
  readonly route: RouteName;
  readonly status: number;
  readonly count: number;
}

export class AnswerCounts {
  readonly #byRoute = new Map<RouteName, Map<number, number>>();

  add(route: RouteName, status: number): void {
    const counts = this.#byRoute.get(route) ?? new Map<number, number>();
    if (counts.size === 0) this.#byRoute.set(route, counts);
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }

  *all(): Iterable<AnswerCount> {
    for (const [route, counts] of this.#byRoute) for (const [status, count] of counts) yield { route, status, count };
  }
}
