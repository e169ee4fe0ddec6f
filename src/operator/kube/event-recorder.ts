// Events for users (`kubectl describe`, `kubectl events`): a bounded queue beside the work queue, shared fairly by the namespaces.
// Events are best effort: the recorder drops and counts an Event when the queue is full or the API server rejects it.
import { cutBytes } from '../../lib/clean-text.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import { messageOf, StoppedError } from '../../lib/errors.ts';
import type { Logger } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import { formatMicroTime } from '../../lib/timestamp.ts';
import { isKubeError } from './kube-error.ts';
import { collectionPath } from './resource.ts';
import { errorFromUnsuccessful, type KubeTransport } from './transport.ts';

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

/** One fact about one object. `note` is truncated to 1,024 bytes. */
export interface RecordedEvent {
  readonly regarding: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    /** Undefined for a cluster-scoped object. */
    readonly namespace?: string | undefined;
    readonly uid: string;
  };
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  /** The operator's action, one CamelCase word. */
  readonly action: string;
  readonly note: string;
}

/** As which the operator reports events. */
const reportingController = 'rolealerts.dev/rolealerts';
const noteLimitBytes = 1024;

interface EventSource {
  readonly random: Random;
  readonly reportingInstance: string;
}

/** An Event ready to send, built when it was recorded, so that its time is right and a retry sends the same object. */
interface EventRequest {
  readonly path: string;
  readonly body: string;
}

/** The API server takes events about a cluster-scoped object only in this namespace and in kube-system. */
const clusterEventsNamespace = 'default';

/** The namespace of an event about the object. */
function eventNamespaceOf({ namespace = clusterEventsNamespace }: RecordedEvent['regarding']): string {
  return namespace;
}

/** Wall time. */
interface EventTime {
  readonly ms: number;
  /** 0 to 999, added to `ms`. */
  readonly microseconds: number;
}

/**
 * Returns the time of the next event. Events of one millisecond get successive microseconds, so that every client that sorts by time or by
 * name sees a cause before its consequence; those after the thousandth share its last microsecond.
 */
function createEventTimes(clock: Clock): () => EventTime {
  let last: EventTime = { ms: -1, microseconds: 0 };
  return () => {
    const ms = Math.trunc(clock.now());
    const microseconds = ms === last.ms ? Math.min(last.microseconds + 1, 999) : 0;
    last = { ms, microseconds };
    return last;
  };
}

/** Throws when the namespace of the object is not a valid name. */
function renderEvent(event: RecordedEvent, time: EventTime, { random, reportingInstance }: EventSource): EventRequest {
  const { regarding, type, reason, action, note } = event;
  const namespace = eventNamespaceOf(regarding);
  // As in client-go: the object's name and a unique suffix, within the 253 characters of a name.
  const name = `${regarding.name.slice(0, 230).replace(/[^a-z0-9]+$/, '')}.${uniqueSuffix(time, random)}`;
  const body = JSON.stringify({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name, namespace },
    eventTime: formatMicroTime(time.ms, time.microseconds),
    reportingController,
    reportingInstance: reportingInstance.slice(0, 128),
    regarding,
    type,
    reason,
    action,
    note: cutBytes(note, noteLimitBytes),
  });
  return { path: collectionPath(eventResource, namespace), body };
}

/** The microseconds since 1970 and 32 random bits, at most 22 characters: kubectl lists events by name, and so in their order. */
function uniqueSuffix({ ms, microseconds }: EventTime, random: Random): string {
  return `${(ms * 1000 + microseconds).toString(16)}${Math.floor(random.next() * 2 ** 32).toString(16)}`;
}

const eventResource = { group: 'events.k8s.io', version: 'v1', plural: 'events' };

/** Why an event was dropped: the queue was full, the server rejected it, the server did not respond, or the operator stopped. */
export type DropCause = 'full' | 'refused' | 'unreachable' | 'stopped';

/** Delays before the second, third and last attempt. Retry-After is a minimum, up to 30 s. */
const retryDelaysMs = [500, 2000, 8000];
const longestRetryAfterMs = 30_000;

const sendDeadlineMs = 10_000;

/**
 * `undefined` when the Event is stored. A conflict means that an earlier attempt succeeded. A process that may not write now, as for seconds
 * after a step of its clock, tries again as well.
 */
async function sendWithRetries(
  transport: KubeTransport,
  clock: Clock,
  { path, body }: EventRequest,
  signal: AbortSignal,
): Promise<{ cause: DropCause; detail: string } | undefined> {
  for (let attempt = 0; ; attempt++) {
    try {
      const response = await transport.send({
        verb: 'create',
        path,
        body,
        answer: 'metadata',
        deadlineMs: sendDeadlineMs,
        signal,
      });
      // The status says everything: the body of a success is not parsed.
      const failure = errorFromUnsuccessful(response);
      if (failure) throw failure;
      return undefined;
    } catch (error) {
      if (isKubeError(error, 'kube-conflict')) return undefined;
      const detail = messageOf(error);
      if (error instanceof StoppedError) return { cause: 'stopped', detail };
      const isUnreachable = isKubeError(error, 'kube-unreachable');
      if (isKubeError(error) && !isUnreachable) return { cause: 'refused', detail };
      const delayMs = retryDelaysMs[attempt];
      if (delayMs === undefined) return { cause: 'unreachable', detail };
      const retryAfterMs = (isUnreachable && error.retryAfterMs) || 0;
      await sleep(clock, Math.max(delayMs, Math.min(retryAfterMs, longestRetryAfterMs)), signal);
      if (signal.aborted) return { cause: 'stopped', detail };
    }
  }
}

/** A queue per namespace, served round-robin: a namespace that fills the queue delays and loses only its own items. */
export class NamespaceQueue<T> {
  readonly #capacity: number;
  /** In the order of their turns. No queue is empty. */
  readonly #queues = new Map<string, T[]>();
  #size = 0;

  /** `capacity`: a whole number, at least 1. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** False when the queue was full and an item was dropped: this one, or the newest one of the namespace with the most items. */
  add(namespace: string, item: T): boolean {
    const isFull = this.#size >= this.#capacity;
    if (isFull && !this.#makeRoomFor(namespace)) return false;
    const queue = this.#queues.get(namespace);
    if (queue) queue.push(item);
    else this.#queues.set(namespace, [item]);
    this.#size++;
    return !isFull;
  }

  /** Removes and returns the oldest item of the namespace whose turn it is. */
  next(): T | undefined {
    const [first] = this.#queues;
    if (!first) return undefined;
    const [namespace, queue] = first;
    const item = queue.shift();
    this.#queues.delete(namespace);
    if (queue.length > 0) this.#queues.set(namespace, queue);
    this.#size--;
    return item;
  }

  /** Removes all items and returns their number. */
  clear(): number {
    const size = this.#size;
    this.#queues.clear();
    this.#size = 0;
    return size;
  }

  /** Drops the newest item of the longest queue, unless that queue would become shorter than this namespace's. */
  #makeRoomFor(namespace: string): boolean {
    const own = this.#queues.get(namespace)?.length ?? 0;
    const longest = [...this.#queues.values()].reduce((a, b) => (b.length > a.length ? b : a));
    if (longest.length <= own + 1) return false;
    longest.pop();
    this.#size--;
    return true;
  }
}
