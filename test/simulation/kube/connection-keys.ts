// Connections of both kinds under one kind of key: `namespace/name`, and `/name` for a ClusterRoleAlertConnection, as the callers of the
// service have it (alerts/callers.ts).
import type { StoredObject } from './object.ts';
import type { Json } from './spec-rules.ts';
import type { ObjectStore } from './store.ts';

/** Where the Secrets, ConfigMaps and ServiceAccounts of ClusterRoleAlertConnections are. */
export const resourceNamespace = 'rolealerts-system';

export const connectionPlurals: readonly string[] = ['rolealertconnections', 'clusterrolealertconnections'];

/** `namespace/name`, and `/name` for an object without a namespace. */
export function keyAnywhere({ metadata: { namespace = '', name } }: Pick<StoredObject, 'metadata'>): string {
  return `${namespace}/${name}`;
}

export function pluralOfKey(key: string): string {
  return key.startsWith('/') ? 'clusterrolealertconnections' : 'rolealertconnections';
}

export function pluralOf({ kind }: Pick<StoredObject, 'kind'>): string {
  return kind === 'ClusterRoleAlertConnection' ? 'clusterrolealertconnections' : 'rolealertconnections';
}

/** The key under which the store has it. */
export function storeKey(key: string): string {
  return key.startsWith('/') ? key.slice(1) : key;
}

/** The key of the connection that a policy names. */
export function connectionKeyOf({ metadata, spec = {} }: StoredObject): string {
  const { kind, name } = spec['connectionRef'] as Json;
  return `${kind === 'ClusterRoleAlertConnection' ? '' : metadata.namespace}/${String(name)}`;
}

export function connectionAt(store: ObjectStore, key: string): StoredObject | undefined {
  return store.get(pluralOfKey(key), storeKey(key));
}

/** Namespaced ones first. */
export function allConnections(store: ObjectStore): StoredObject[] {
  return connectionPlurals.flatMap((plural) => store.list(plural));
}

/** The namespace of what a connection names. */
export function resourcesOf({ metadata }: Pick<StoredObject, 'metadata'>): string {
  return metadata.namespace ?? resourceNamespace;
}
