// Events for users (`kubectl describe`, `kubectl events`): a bounded queue beside the work queue, shared fairly by the namespaces.
// Events are best effort: the recorder drops and counts an Event when the queue is full or the API server rejects it.
import { sleep, type Clock } from '../lib/clock.ts';
import { cutBytes } from '../lib/cut-bytes.ts';
import { StoppedError, messageOf } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import { formatMicroTime } from '../lib/timestamp.ts';
import { isKubeError } from './kube-error.ts';
import { NamespaceQueue } from './namespace-queue.ts';
import { collectionPath } from './resource.ts';
import type { KubeTransport } from './transport.ts';

/** One fact about one object. `note` is truncated to 1,024 bytes. */
export interface RecordedEvent {
  readonly regarding: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
  };
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  /** The operator's action, one CamelCase word. */
  readonly action: string;
  readonly note: string;
}

export interface EventRecorder {
  /** Returns at once and never throws. After `stop` it only counts the dropped event. */
  record(event: RecordedEvent): void;
  /** Sends the waiting events until the deadline, and drops the rest. */
  stop(deadlineMs: number): Promise<void>;
}

/** Why an event was dropped: the queue was full, the server rejected it, the server did not respond, or the operator stopped. */
export type DropCause = 'full' | 'refused' | 'unreachable' | 'stopped';

export interface EventRecorderOptions {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Identifies the replica: the Pod's name. */
  readonly reportingInstance: string;
  /** The maximum number of waiting events. Default 5,000. */
  readonly capacity?: number | undefined;
  readonly observer?: { onRecorded(): void; onDropped(cause: DropCause): void } | undefined;
}

const reportingController = 'rolealerts.dev/rolealerts';
const noteLimitBytes = 1024;
const defaultCapacity = 5000;

/** Requests in flight. Low, because status writes have priority on the shared sockets. */
const senders = 2;

/** Delays before the second, third and last attempt. Retry-After is a minimum, up to 30 s. */
const retryDelaysMs = [500, 2000, 8000];
const longestRetryAfterMs = 30_000;

const deadlineMs = 10_000;

/** An Event ready to send, built when it was recorded, so that its time is right and a retry sends the same object. */
interface Waiting {
  readonly path: string;
  readonly body: string;
}

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { transport, clock, log, observer } = options;
  const capacity = options.capacity ?? defaultCapacity;
  const giveUp = new AbortController();
  const waiting = new NamespaceQueue<Waiting>(capacity);
  const running = new Set<Promise<void>>();
  let isStopping = false;

  const drop = (cause: DropCause, detail?: string) => {
    observer?.onDropped(cause);
    log.debug({ cause, detail }, 'event dropped');
  };

  const sendAll = async () => {
    for (let next = waiting.next(); next !== undefined; next = waiting.next()) {
      const dropped = await sendWithRetries(transport, clock, next, giveUp.signal);
      if (dropped === undefined) observer?.onRecorded();
      else drop(dropped.cause, dropped.detail);
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
          if (!waiting.add(event.regarding.namespace, renderEvent(event, options))) drop('full');
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

/** `undefined` when the Event is stored. A conflict means that an earlier attempt succeeded. */
async function sendWithRetries(
  transport: KubeTransport,
  clock: Clock,
  { path, body }: Waiting,
  signal: AbortSignal,
): Promise<{ cause: DropCause; detail: string } | undefined> {
  for (let attempt = 0; ; attempt++) {
    try {
      await transport.request({ verb: 'create', path, body, deadlineMs, signal });
      return undefined;
    } catch (error) {
      if (isKubeError(error, 'kube-conflict')) return undefined;
      const detail = messageOf(error);
      if (!isKubeError(error, 'kube-unreachable')) {
        return { cause: error instanceof StoppedError ? 'stopped' : 'refused', detail };
      }
      const delayMs = retryDelaysMs[attempt];
      if (delayMs === undefined) return { cause: 'unreachable', detail };
      await sleep(clock, Math.max(delayMs, Math.min(error.retryAfterMs ?? 0, longestRetryAfterMs)), signal);
      if (signal.aborted) return { cause: 'stopped', detail };
    }
  }
}

function renderEvent(event: RecordedEvent, { clock, random, reportingInstance }: EventRecorderOptions): Waiting {
  const { regarding, type, reason, action, note } = event;
  // As in client-go: the object's name and a unique suffix, within the 253 characters of a name.
  const name = `${regarding.name.slice(0, 230).replace(/[^a-z0-9]+$/, '')}.${uniqueSuffix(clock, random)}`;
  const body = JSON.stringify({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name, namespace: regarding.namespace },
    eventTime: formatMicroTime(clock.now()),
    reportingController,
    reportingInstance: reportingInstance.slice(0, 128),
    regarding,
    type,
    reason,
    action,
    note: cutBytes(note, noteLimitBytes),
  });
  return { path: collectionPath(eventResource, regarding.namespace), body };
}

/** The time and 32 random bits, at most 19 characters. */
function uniqueSuffix(clock: Clock, random: Random): string {
  return `${clock.now().toString(16)}${Math.floor(random.next() * 2 ** 32).toString(16)}`;
}

const eventResource = { group: 'events.k8s.io', version: 'v1', plural: 'events' };
