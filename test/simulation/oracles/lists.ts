// What each process was last shown of each scope by the service: whole lists only, as one would read them from the wire.
import type { ServiceCall, ShownAlert } from '../alerts/sim-service.ts';
import type { World } from '../world.ts';

interface Seen {
  readonly atMs: number;
  readonly alerts: readonly ShownAlert[];
}

/** A request may be on its way for a minute, and is judged by what was known when it was sent. */
const keptLists = 20;

export class SeenLists {
  readonly #whole = new Map<string, Seen[]>();
  readonly #partial = new Map<string, ShownAlert[]>();

  constructor(world: World) {
    world.service.onCall.push((call) => this.#see(call));
  }

  /** The last whole list; undefined before there was one. */
  last(process: string, caller: string, scope: string): readonly ShownAlert[] | undefined {
    return this.#whole.get(keyOf(process, caller, scope))?.at(-1)?.alerts;
  }

  /** The newest one of several callers at a moment. */
  newestAt(
    atMs: number,
    process: string,
    callers: readonly string[],
    scope: string,
  ): readonly ShownAlert[] | undefined {
    const lists = callers.flatMap((caller) => this.#whole.get(keyOf(process, caller, scope)) ?? []);
    return lists.filter((list) => list.atMs <= atMs).sort((a, b) => b.atMs - a.atMs)[0]?.alerts;
  }

  #see({ atMs, kind, process, caller, scope, shown, isLastPage, page }: ServiceCall): void {
    if (kind !== 'list' || caller === undefined || !shown) return;
    const key = keyOf(process, caller, scope);
    const before = page === 0 ? [] : (this.#partial.get(key) ?? []);
    const alerts = [...before, ...shown];
    if (isLastPage) this.#whole.set(key, [...(this.#whole.get(key) ?? []), { atMs, alerts }].slice(-keptLists));
    else this.#partial.set(key, alerts);
  }
}

function keyOf(process: string, caller: string, scope: string): string {
  return `${process} ${caller} ${scope.toLowerCase()}`;
}
