// The Event object that the recorder sends, in the API server's form.
import type { Clock } from '../../lib/clock.ts';
import { cutBytes } from '../../lib/cut-bytes.ts';
import type { Random } from '../../lib/random.ts';
import { formatMicroTime } from '../../lib/timestamp.ts';
import { collectionPath } from './resource.ts';

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
export const reportingController = 'rolealerts.dev/rolealerts';
const noteLimitBytes = 1024;

interface EventSource {
  readonly random: Random;
  readonly reportingInstance: string;
}

/** An Event ready to send, built when it was recorded, so that its time is right and a retry sends the same object. */
export interface EventRequest {
  readonly path: string;
  readonly body: string;
}

/** The API server takes events about a cluster-scoped object only in this namespace and in kube-system. */
const clusterEventsNamespace = 'default';

/** The namespace of an event about the object. */
export function eventNamespaceOf({ namespace = clusterEventsNamespace }: RecordedEvent['regarding']): string {
  return namespace;
}

/** Wall time. */
export interface EventTime {
  readonly ms: number;
  /** 0 to 999, added to `ms`. */
  readonly microseconds: number;
}

/**
 * Returns the time of the next event. Events of one millisecond get successive microseconds, so that every client that sorts by time or by
 * name sees a cause before its consequence; those after the thousandth share its last microsecond.
 */
export function createEventTimes(clock: Clock): () => EventTime {
  let last: EventTime = { ms: -1, microseconds: 0 };
  return () => {
    const ms = Math.trunc(clock.now());
    const microseconds = ms === last.ms ? Math.min(last.microseconds + 1, 999) : 0;
    last = { ms, microseconds };
    return last;
  };
}

/** Throws when the namespace of the object is not a valid name. */
export function renderEvent(
  event: RecordedEvent,
  time: EventTime,
  { random, reportingInstance }: EventSource,
): EventRequest {
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
