// Reads the objects of a trace. What this person may not read is left out, and the trace says so.
import { createCustomResources } from '../kube/custom-resources.ts';
import { isKubeError } from '../kube/kube-error.ts';
import { readNamespace } from '../kube/namespaces.ts';
import { collectionPath, type KubeResource, objectPath, queryOf } from '../kube/resource.ts';
import { arrayOf, objectOf, stringOf } from '../lib/json-shape.ts';
import { connectionKeyOf, partsOfConnectionKey } from '../policy/connection-key.ts';
import { type AnyConnection, credentialOf, type RoleAlertPolicy, serviceAccountOf } from '../policy/resources.ts';
import type { ConsentMetadata, Readable, TracedEvent, TraceInput } from '../view/trace-input.ts';
import type { ClusterPlace } from './cluster-place.ts';

const secrets: KubeResource = { group: '', version: 'v1', plural: 'secrets' };
const serviceAccounts: KubeResource = { group: '', version: 'v1', plural: 'serviceaccounts' };
const coreEvents: KubeResource = { group: '', version: 'v1', plural: 'events' };

/** Rejects with a `KubeError` for other failures than a missing permission. */
export async function readTrace(
  place: ClusterPlace,
  policy: RoleAlertPolicy,
  clusterNamespace: string,
): Promise<TraceInput> {
  const [connection, namespace, events] = await Promise.all([
    readConnectionOf(place, policy),
    seen(readNamespace(place.transport, policy.metadata.namespace, place.signal)),
    seen(readEvents(place, policy)),
  ]);
  const credential = 'value' in connection ? await readConsent(place, connection.value, clusterNamespace) : undefined;
  return { policy, connection, credential, namespace, events, clusterNamespace };
}

async function seen<T>(reading: Promise<T | undefined>): Promise<Readable<T>> {
  try {
    const value = await reading;
    return value === undefined ? { missing: 'Absent' } : { value };
  } catch (error) {
    if (isKubeError(error, 'kube-denied')) return { missing: 'Denied' };
    if (isKubeError(error, 'kube-not-found')) return { missing: 'Absent' };
    throw error;
  }
}

function readConnectionOf(
  { transport, signal }: ClusterPlace,
  policy: RoleAlertPolicy,
): Promise<Readable<AnyConnection>> {
  const { namespace, name } = partsOfConnectionKey(connectionKeyOf(policy));
  return seen(createCustomResources(transport).readConnection(namespace, name, signal));
}

/** The metadata only: no content of a Secret reaches this process, unless the API server ignores what it is asked for. */
async function readConsent(
  { transport, signal }: ClusterPlace,
  connection: AnyConnection,
  clusterNamespace: string,
): Promise<Readable<ConsentMetadata> | undefined> {
  const secret = credentialOf(connection, clusterNamespace);
  const reference = secret ?? serviceAccountOf(connection, clusterNamespace);
  if (!reference) return undefined;
  const path = objectPath(secret ? secrets : serviceAccounts, reference.namespace, reference.name);
  return seen(transport.request<unknown>({ verb: 'get', path, answer: 'metadata', signal }).then(consentOf));
}

function consentOf(object: unknown): ConsentMetadata {
  const { labels, annotations } = objectOf(objectOf(object)['metadata']);
  return { labels: textsOf(labels), annotations: textsOf(annotations) };
}

function textsOf(json: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(objectOf(json)).flatMap(([name, value]) => {
      const text = stringOf(value);
      return text === undefined ? [] : [[name, text]];
    }),
  );
}

/** The events of the core group are the same objects as those of events.k8s.io, and the role `view` may list them. */
async function readEvents({ transport, signal }: ClusterPlace, { metadata }: RoleAlertPolicy): Promise<TracedEvent[]> {
  const query = queryOf({ fieldSelector: `involvedObject.uid=${metadata.uid}`, limit: eventLimit });
  const path = `${collectionPath(coreEvents, metadata.namespace)}${query}`;
  const list = objectOf(await transport.request<unknown>({ verb: 'list', path, signal }));
  const events = arrayOf(list['items']).map(tracedEvent);
  return events.sort((left, right) => Date.parse(right.at) - Date.parse(left.at)).slice(0, shownEvents);
}

const eventLimit = 500;
const shownEvents = 8;

/** `eventTime` is that of the first occurrence; a client of the older form sets `lastTimestamp` instead. */
function tracedEvent(json: unknown): TracedEvent {
  const { type, reason, message, eventTime, lastTimestamp, metadata } = objectOf(json);
  const at = stringOf(eventTime) ?? stringOf(lastTimestamp) ?? stringOf(objectOf(metadata)['creationTimestamp']) ?? '';
  return { at, type: stringOf(type) ?? '', reason: stringOf(reason) ?? '', note: stringOf(message) ?? '' };
}
