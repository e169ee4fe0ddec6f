// Events of a watch as the cases see them: in their order, as text, without bookmarks unless they are asked for.
import type { KubeRequest, KubeTransport } from '../../../../src/operator/kube/transport.ts';

export interface SeenEvent {
  readonly type: string;
  readonly object: {
    readonly code?: number;
    readonly reason?: string;
    readonly apiVersion?: string;
    readonly kind?: string;
    readonly metadata: {
      readonly name?: string;
      readonly uid?: string;
      readonly resourceVersion?: string;
      readonly generation?: number;
      readonly labels?: Readonly<Record<string, string>>;
    };
    readonly spec?: Readonly<Record<string, unknown>>;
    readonly status?: unknown;
  };
}

export interface SeenEvents {
  /** The next `count` events without bookmarks; fewer when the watch ends first. */
  next(count: number): Promise<readonly SeenEvent[]>;
  /** `ADDED a`, `MODIFIED a`, … */
  summaries(count: number): Promise<readonly string[]>;
  /** Everything to the end of the watch, bookmarks too. */
  rest(): Promise<readonly SeenEvent[]>;
  close(): void;
}

export async function openEvents(transport: KubeTransport, request: KubeRequest): Promise<SeenEvents> {
  const stream = await transport.watch(request);
  const waiting: SeenEvent[] = [];
  const take = async (): Promise<SeenEvent | undefined> => {
    if (waiting.length === 0) {
      for (const line of (await stream.read()) ?? []) waiting.push(JSON.parse(line.toString('utf8')) as SeenEvent);
    }
    return waiting.shift();
  };
  const next = async (count: number) => {
    const events: SeenEvent[] = [];
    for (let event = await take(); event; event = await take()) {
      if (event.type !== 'BOOKMARK') events.push(event);
      if (events.length === count) break;
    }
    return events;
  };
  return {
    next,
    summaries: async (count) => (await next(count)).map(({ type, object }) => `${type} ${object.metadata.name ?? ''}`),
    async rest() {
      const events: SeenEvent[] = [];
      for (let event = await take(); event; event = await take()) events.push(event);
      return events;
    },
    close: () => stream.close(),
  };
}
