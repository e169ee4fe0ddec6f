// Events for users (`kubectl describe`, `kubectl events`): a bounded queue beside the work queue, shared fairly by the namespaces.
// Events are best effort: the recorder drops and counts an Event when the queue is full or the API server rejects it.
import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import {
  createEventTimes,
  eventNamespaceOf,
  type RecordedEvent,
  type EventRequest,
  renderEvent,
} from './event-object.ts';
import { NamespaceQueue } from './namespace-queue.ts';
import { type DropCause, sendWithRetries } from './send-event.ts';
import type { KubeTransport } from './transport.ts';

export interface EventRecorder {
  /** Returns at once and never throws. After `stop` it only counts the dropped event. */
  record(event: RecordedEvent): void;
  /** Sends the waiting events until the deadline, and drops the rest. */
  stop(deadlineMs: number): Promise<void>;
}

export interface EventRecorderOptions {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Identifies the replica: the Pod's name. */
  readonly reportingInstance: string;
  /** The maximum number of waiting events. Default 5,000. */
  readonly capacity?: number | undefined;
  readonly onDropped?: ((cause: DropCause) => void) | undefined;
}
const defaultCapacity = 5000;

/** Requests in flight. Low, because status writes have priority on the shared sockets. */
const senders = 2;

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { transport, clock, log, onDropped } = options;
  const capacity = options.capacity ?? defaultCapacity;
  const giveUp = new AbortController();
  const waiting = new NamespaceQueue<EventRequest>(capacity);
  const nextTime = createEventTimes(clock);
  const running = new Set<Promise<void>>();
  let isStopping = false;

  const drop = (cause: DropCause, detail?: string) => {
    onDropped?.(cause);
    log.debug({ cause, detail }, 'event dropped');
  };

  const sendAll = async () => {
    for (let next = waiting.next(); next !== undefined; next = waiting.next()) {
      const dropped = await sendWithRetries(transport, clock, next, giveUp.signal);
      if (dropped) drop(dropped.cause, dropped.detail);
    }
  };

  const startSender = () => {
    if (running.size >= senders) return;
    const sender: Promise<void> = sendAll().finally(() => running.delete(sender));
    running.add(sender);
  };

  return {
    record(event) {
      if (isStopping) drop('stopped');
      else {
        try {
          if (!waiting.add(eventNamespaceOf(event.regarding), renderEvent(event, nextTime(), options))) drop('full');
          startSender();
        } catch (error) {
          drop('refused', messageOf(error));
        }
      }
    },
    async stop(deadlineMs) {
      isStopping = true;
      const timer = clock.setTimer(deadlineMs, () => {
        for (let left = waiting.clear(); left > 0; left--) drop('stopped');
        giveUp.abort();
      });
      await Promise.all(running);
      timer.cancel();
    },
  };
}
