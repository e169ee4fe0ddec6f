// Fetches what the service says of open incidents, people included, as the person who runs the command: with their own token, never
// through the operator, and never with the Secret of a connection.
import { incidentDetails, type IncidentDetails } from '../../alerts/incident-details.ts';
import { canonicalName } from '../../alerts/resource-id.ts';
import { CodedError, messageOf } from '../../lib/errors.ts';
import { type JsonObject, objectOf } from '../../lib/json-shape.ts';
import { createCustomResources } from '../../operator/kube/custom-resources.ts';
import { isKubeError } from '../../operator/kube/kube-error.ts';
import { type KubeResource, objectPath } from '../../operator/kube/resource.ts';
import { connectionName } from '../../operator/reasons/message-facts.ts';
import { partsOfConnectionKey } from '../../policy/connection-key.ts';
import { type AnyConnection, caBundleOf } from '../../policy/resources.ts';
import type { ClusterPlace } from '../cluster/cluster-place.ts';
import type { FiringAlert, RevealedIncident } from '../report/incidents.ts';
import { type ClientOf, type ServiceAccess, withClients } from './open-client.ts';

export interface RevealOptions {
  /** Where the ConfigMaps of every ClusterRoleAlertConnection are. */
  readonly clusterNamespace: string;
  /** The person's tokens, and these CA bundles by `namespace/name`. */
  readonly openAccess: (configMaps: ReadonlyMap<string, JsonObject>) => Promise<ServiceAccess>;
}

export interface Revealed {
  /** Of these alerts, in their order. */
  readonly revealed: readonly RevealedIncident[];
  /** False when a scope could not be listed: a note names it, and the others are there all the same. */
  readonly isComplete: boolean;
}

export async function revealIncidents(
  place: ClusterPlace,
  firing: readonly FiringAlert[],
  { clusterNamespace, openAccess }: RevealOptions,
): Promise<Revealed> {
  const connections = await readConnections(place, firing);
  const access = await openAccess(await readCaBundles(place, connections, clusterNamespace));
  // One list of the service for all alerts of a connection and a scope.
  const ofScopes = Map.groupBy(firing, ({ connection, scope }) => `${connection} ${scope}`);
  return withClients([...connections.values()], access, async (clientOf) => {
    const found = await Promise.all(
      [...ofScopes.values()].map(async ([first, ...others]) => {
        const connection = first && connections.get(first.connection);
        const details = connection && (await listDetails(place, clientOf, connection, first));
        return details && [first, ...others].flatMap((each) => incidentsOf(each, details));
      }),
    );
    const revealed = found.flatMap((incidents) => incidents ?? []);
    return { revealed, isComplete: found.every((incidents) => incidents !== undefined) };
  });
}

function incidentsOf({ alert, connection, scope }: FiringAlert, details: readonly IncidentDetails[]) {
  const name = canonicalName(alert);
  const own = details.filter((each) => canonicalName(each.alert) === name);
  return own.map((each) => Object.assign({ connection, scope }, each));
}

/** By key. A note names each that this person may not read. */
async function readConnections(
  { transport, signal, note }: ClusterPlace,
  firing: readonly FiringAlert[],
): Promise<Map<string, AnyConnection>> {
  const resources = createCustomResources(transport);
  const keys = [...new Set(firing.map(({ connection }) => connection))];
  const read = keys.map(async (key) => {
    const { namespace, name } = partsOfConnectionKey(key);
    const connection = await resources.readConnection(namespace, name, signal).catch(refusalOf);
    if (!connection) note(unreadable(connectionName('Connection', key)));
    return connection && ([key, connection] as const);
  });
  return new Map((await Promise.all(read)).filter((each) => each !== undefined));
}

const configMaps: KubeResource = { group: '', version: 'v1', plural: 'configmaps' };

/** By `namespace/name`. A connection without its CA bundle is removed from `connections`, and a note says so. */
async function readCaBundles(
  { transport, signal, note }: ClusterPlace,
  connections: Map<string, AnyConnection>,
  clusterNamespace: string,
): Promise<ReadonlyMap<string, JsonObject>> {
  const found = new Map<string, JsonObject>();
  for (const [key, connection] of connections) {
    const reference = caBundleOf(connection, clusterNamespace);
    if (!reference) continue;
    const name = `${reference.namespace}/${reference.name}`;
    const path = objectPath(configMaps, reference.namespace, reference.name);
    const object = await transport.request<unknown>({ verb: 'get', path, signal }).catch(refusalOf);
    if (object !== undefined) found.set(name, objectOf(object));
    else {
      connections.delete(key);
      note(unreadable(`ConfigMap ${name} with the CA bundle of ${connectionName('connection', key)}`));
    }
  }
  return found;
}

const unreadable = (object: string) => `${object} is gone or you may not read it, so its incidents are not revealed.`;

/** Rethrows any failure but a missing object or permission. */
function refusalOf(error: unknown): undefined {
  if (isKubeError(error, 'kube-denied', 'kube-not-found')) return undefined;
  throw error;
}

/** Undefined when the scope could not be listed. */
async function listDetails(
  { signal, note }: ClusterPlace,
  clientOf: ClientOf,
  connection: AnyConnection,
  { scope, connection: key }: FiringAlert,
): Promise<readonly IncidentDetails[] | undefined> {
  const details: IncidentDetails[] = [];
  try {
    const { client } = await clientOf(connection);
    await client.listAlerts(scope, {
      priority: 'high',
      signal,
      onPage: (page) => details.push(...incidentDetails(page)),
    });
    return details;
  } catch (error) {
    if (!(error instanceof CodedError) || signal.aborted || error.code === 'usage') throw error;
    const cause = [messageOf(error), error.detail].filter((text) => text !== undefined).join('\n  ');
    note(`Scope ${scope} could not be listed through ${connectionName('connection', key)}: ${cause}`);
    return undefined;
  }
}
