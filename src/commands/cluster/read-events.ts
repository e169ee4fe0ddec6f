// Reads what the operator reported as events. The API server keeps events for an hour by default.
import { isWholeNumber, objectOf, stringOf } from '../../lib/json-shape.ts';
import { reportingController } from '../../operator/kube/event-recorder.ts';
import { isKubeError } from '../../operator/kube/kube-error.ts';
import { listObjects } from '../../operator/kube/lists.ts';
import type { KubeResource } from '../../operator/kube/resource.ts';
import type { DecodedResource } from '../../policy/decode-resources.ts';
import type { ReportedEvent } from '../report/reported-event.ts';
import type { ClusterPlace } from './cluster-place.ts';

/** Those of the core group: the ClusterRole view of every cluster lets its users list them. */
const eventResource: KubeResource = { group: '', version: 'v1', plural: 'events' };

export interface EventsRead {
  readonly events: readonly ReportedEvent[];
  /** Why there are none, as a sentence. */
  readonly note?: string;
}

/** Rejects with a `KubeError`, but not when the viewer may not list events. `selector`: further fields, `involvedObject.name=a`. */
export async function readEvents(
  { transport, namespace, signal }: Pick<ClusterPlace, 'transport' | 'namespace' | 'signal'>,
  ...selectors: readonly string[]
): Promise<EventsRead> {
  const fieldSelector = [`reportingComponent=${reportingController}`, ...selectors].join(',');
  try {
    const resource = eventResource;
    const { items } = await listObjects(transport, { resource, namespace, fieldSelector, decode: decodeEvent, signal });
    return { events: items };
  } catch (error) {
    if (isKubeError(error, 'kube-denied')) return { events: [], note: deniedNote };
    throw error;
  }
}

const deniedNote =
  'Events are not shown, because the API server does not let you list them. To see them, ask for the ClusterRole view.';

/** Other programs may write events in any form: an incomplete one is left out. */
function decodeEvent(json: unknown): DecodedResource<ReportedEvent> {
  const { involvedObject, series, reason, message, type, count, ...times } = objectOf(json);
  const uid = stringOf(objectOf(involvedObject)['uid']);
  const at = timeOf(times, objectOf(series));
  if (uid === undefined || at === undefined) return { problems: ['not an event of an object'] };
  const value = {
    uid,
    at,
    reason: stringOf(reason) ?? '',
    note: stringOf(message) ?? '',
    count: countOf(count, series),
  };
  return { value: { ...value, type: type === 'Warning' ? 'Warning' : 'Normal' }, problems: [] };
}

function countOf(count: unknown, series: unknown): number {
  return [objectOf(series)['count'], count].find((each) => isWholeNumber(each, 1)) ?? 1;
}

function timeOf(
  { lastTimestamp, eventTime, firstTimestamp }: Readonly<Record<string, unknown>>,
  { lastObservedTime }: Readonly<Record<string, unknown>>,
): string | undefined {
  const texts = [lastObservedTime, lastTimestamp, eventTime, firstTimestamp].map(stringOf);
  return texts.find((text) => text !== undefined && !Number.isNaN(Date.parse(text)));
}
