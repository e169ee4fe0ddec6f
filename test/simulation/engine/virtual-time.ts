// Time that advances only when no work is left: events in order of their due time, and between two of them everything
// that waits for promises runs to its end. Nothing waits for real events, so a run is deterministic.
import TinyQueue from 'tinyqueue';

interface Event {
  readonly dueMs: number;
  /** Equal times run in the order in which they were scheduled. */
  readonly order: number;
  run: (() => void) | undefined;
}

export interface Scheduled {
  cancel(): void;
}

export class VirtualTime {
  readonly #events = new TinyQueue<Event>([], (a, b) => a.dueMs - b.dueMs || a.order - b.order);
  #order = 0;
  #nowMs = 0;
  #count = 0;

  /** Milliseconds since the start. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Events that ran so far. */
  get count(): number {
    return this.#count;
  }

  schedule(delayMs: number, run: () => void): Scheduled {
    const event: Event = { dueMs: this.#nowMs + Math.max(delayMs, 0), order: this.#order++, run };
    this.#events.push(event);
    return {
      cancel() {
        event.run = undefined;
      },
    };
  }

  /** Moves on to that moment; what is scheduled on the way runs too when it falls due. */
  async runUntil(targetMs: number): Promise<void> {
    await settle();
    for (let next = this.#take(targetMs); next; next = this.#take(targetMs)) {
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      this.#count++;
      next.run?.();
      await settle();
    }
    this.#nowMs = Math.max(this.#nowMs, targetMs);
  }

  /** The next event due until then; cancelled ones are dropped on the way. */
  #take(targetMs: number): Event | undefined {
    for (let event = this.#events.peek(); event && event.dueMs <= targetMs; event = this.#events.peek()) {
      this.#events.pop();
      if (event.run) return event;
    }
    return undefined;
  }
}

/** Until everything has run that waits for promises only: they all run before the next turn of the event loop. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
