// Events for people (`kubectl describe`, `kubectl events`): a bounded queue beside the work, shared fairly by the namespaces. An Event is
// an extra: when the queue is full or the API server will not have it, it is dropped and counted, and nothing else notices.
import { sleep, type Clock } from '../lib/clock.ts';
import { cutBytes } from '../lib/cut-bytes.ts';
import { isCodedError, messageOf } from '../lib/errors.ts';
import type { Logger } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import { formatMicroTime } from '../lib/timestamp.ts';
import { NamespaceQueue } from './namespace-queue.ts';
import { collectionPath } from './resource.ts';
import type { KubeTransport } from './transport.ts';

/** One fact about one object. `note` is for people and is cut to 1,024 bytes. */
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
  /** What was done or tried, one CamelCase word. */
  readonly action: string;
  readonly note: string;
}

export interface EventRecorder {
  /** Returns at once and never throws. After `stop` it only counts. */
  record(event: RecordedEvent): void;
  /** Sends what waits, for so long at most, and drops the rest. */
  stop(deadlineMs: number): Promise<void>;
}

/** Why an event was dropped: the queue was full, the server refused it, it did not answer, or the operator stopped. */
export type DropCause = 'full' | 'refused' | 'unreachable' | 'stopped';

export interface EventRecorderOptions {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Which replica this is: the Pod's name. */
  readonly reportingInstance: string;
  /** Events waiting at most. Default 5,000. */
  readonly capacity?: number | undefined;
  readonly observer?: { onRecorded(): void; onDropped(cause: DropCause): void } | undefined;
}

const reportingController = 'rolealerts.dev/rolealerts';
const noteLimitBytes = 1024;
const defaultCapacity = 5000;

/** At a time; the shared connections are for status writes first. */
const senders = 2;

/** Waits before the second, third and last try; the server's Retry-After is the least, up to 30 s. */
const retryDelaysMs = [500, 2000, 8000];
const longestRetryAfterMs = 30_000;

const deadlineMs = 10_000;

/** An Event ready to be sent: made when the fact was recorded, so that the time is true and a repeated try is the same object. */
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

/** `undefined` when the Event is stored. A conflict means that an earlier try had arrived. */
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
      if (isCodedError(error, 'kube-conflict')) return undefined;
      const detail = messageOf(error);
      if (!isCodedError(error, 'kube-unreachable')) {
        return { cause: isCodedError(error, 'stopped') ? 'stopped' : 'refused', detail };
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
  // As client-go names them: the object's name and something unique, within the 253 characters of a name.
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

/** The time and 32 random bits, as 19 characters at most. */
function uniqueSuffix(clock: Clock, random: Random): string {
  return `${clock.now().toString(16)}${Math.floor(random.next() * 2 ** 32).toString(16)}`;
}

const eventResource = { group: 'events.k8s.io', version: 'v1', plural: 'events' };
