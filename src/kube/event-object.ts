// The Event object that the recorder sends, in the API server's form.
import { cutBytes } from '../lib/cut-bytes.ts';
import type { Random } from '../lib/random.ts';
import { formatMicroTime } from '../lib/timestamp.ts';
import type { EventTime } from './event-times.ts';
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
