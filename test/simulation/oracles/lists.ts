// What each process was last shown of each scope by the service: whole lists only, as one would read them from the wire.
import type { ServiceCall, ShownAlert } from '../alerts/sim-service.ts';
import type { World } from '../world.ts';

/** Who asked for which scope. */
interface Asked {
  readonly process: string;
  readonly caller: string;
  readonly origin: string;
  readonly scope: string;
}

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
    world.onCall((call) => this.#see(call));
  }

  /** The last whole list; undefined before there was one. */
  last({ process, caller, origin, scope }: Asked): readonly ShownAlert[] | undefined {
    return this.#whole.get(keyOf({ process, caller, origin, scope }))?.at(-1)?.alerts;
  }

  /** Those that the service finished within that window, oldest first. */
  between(fromMs: number, toMs: number, asked: Asked): readonly Seen[] {
    return (this.#whole.get(keyOf(asked)) ?? []).filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  }

  /** The newest one of several callers and addresses at a moment. */
  newestAt(
    atMs: number,
    callers: readonly string[],
    { origins, ...asked }: Omit<Asked, 'caller' | 'origin'> & { readonly origins: readonly string[] },
  ): readonly ShownAlert[] | undefined {
    const places = origins.flatMap((origin) => callers.map((caller) => ({ ...asked, origin, caller })));
    const lists = places.flatMap((place) => this.between(-Infinity, atMs, place));
    return lists.toSorted((a, b) => b.atMs - a.atMs)[0]?.alerts;
  }

  #see({ atMs, kind, process, caller, origin, scope, shown, isLastPage, page }: ServiceCall): void {
    if (kind !== 'list' || caller === undefined || !shown) return;
    const key = keyOf({ process, caller, origin, scope });
    const before = page === 0 ? [] : (this.#partial.get(key) ?? []);
    const alerts = [...before, ...shown];
    if (isLastPage) this.#whole.set(key, [...(this.#whole.get(key) ?? []), { atMs, alerts }].slice(-keptLists));
    else this.#partial.set(key, alerts);
  }
}

function keyOf({ process, caller, origin, scope }: Asked): string {
  return `${process} ${caller} ${origin} ${scope.toLowerCase()}`;
}
