// The last list of each scope that each process received: complete lists only, of which every page reached the process as the service
// sent it.
import type { ServiceCall, ShownAlert } from '../alerts/sim-service.ts';
import type { SimExchange } from '../engine/types.ts';
import type { World } from '../world.ts';

/** The caller and the scope of a list. */
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

/** Lists kept for each caller and scope: a request may take a minute to arrive, and is judged by the lists before its send. */
const keptLists = 20;

export class SeenLists {
  readonly #whole = new Map<string, Seen[]>();
  readonly #partial = new Map<string, ShownAlert[]>();
  /** Pages that are on their way back. */
  readonly #sent = new Map<string, ServiceCall>();

  constructor(world: World) {
    world.onCall((call) => {
      if (call.kind === 'list' && call.shown) this.#sent.set(pageKey(call), call);
    });
    world.onExchange.push((exchange) => this.#arrive(exchange));
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

  #arrive({ request, fate, outcome }: SimExchange): void {
    const key = pageKey(request);
    const call = this.#sent.get(key);
    this.#sent.delete(key);
    if (call && outcome === 200 && isAsSent.has(fate)) this.#see(call);
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

/** The fates with which a response arrives as the host sent it. */
const isAsSent: ReadonlySet<SimExchange['fate']> = new Set(['deliver', 'slow-body']);

function pageKey({
  process,
  origin,
  path,
  sentAtMs,
}: Pick<ServiceCall, 'process' | 'origin' | 'path' | 'sentAtMs'>): string {
  return `${process} ${sentAtMs} ${origin}${path}`;
}

function keyOf({ process, caller, origin, scope }: Asked): string {
  return `${process} ${caller} ${origin} ${scope.toLowerCase()}`;
}
