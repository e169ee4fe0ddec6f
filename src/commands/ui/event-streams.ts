// The browsers that wait for changes (server-sent events). A message only says that something changed; the browser then fetches the page.
import type { ServerResponse } from 'node:http';

import { type Clock, repeatEvery, type Timer } from '../../lib/clock.ts';

/** A browser opens six connections to one host, and a page closes its stream while it is hidden. */
const mostStreams = 16;
/** Changes within this time make one message. */
const shortestPauseMs = 1000;
/** Time alone changes what the page shows, and a browser that did not read missed a message. */
const longestPauseMs = 60_000;

export class EventStreams {
  readonly #streams = new Set<ServerResponse>();
  readonly #clock: Clock;
  readonly #stopReminding: () => void;
  #timer: Timer | undefined;
  #version = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#stopReminding = repeatEvery(longestPauseMs, clock, async () => this.announce());
  }

  get isFull(): boolean {
    return this.#streams.size >= mostStreams;
  }

  /** Keeps the response open. `headers`: those of every response. */
  add(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
    this.#streams.add(response);
    response.on('close', () => this.#streams.delete(response));
    response.on('error', () => undefined);
    // The page may be older than its stream.
    response.write(`retry: 2000\ndata: ${this.#version}\n\n`);
  }

  /** Sends a message soon. A browser that does not read gets no further one. */
  announce(): void {
    this.#timer ??= this.#clock.setTimer(shortestPauseMs, () => {
      this.#timer = undefined;
      this.#version += 1;
      for (const stream of this.#streams) {
        if (!stream.writableNeedDrain) stream.write(`data: ${this.#version}\n\n`);
      }
    });
  }

  stop(): void {
    this.#stopReminding();
    this.#timer?.cancel();
    for (const stream of this.#streams) stream.end();
  }
}
