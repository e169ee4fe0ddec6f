// Which connections have a credential that the service accepts, and so may compete: a URL alone proves nothing.
import { isSameJson } from '../../../src/lib/json-shape.ts';
import { callersOf } from '../alerts/callers.ts';
import { connectionAt, connectionKeyOf, keyAnywhere, resourcesOf } from '../kube/connection-keys.ts';
import { consentOf, secretOf } from '../kube/consent.ts';
import type { StoredObject } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
import { clusterIssuer } from '../kube/token-requests.ts';
import type { World } from '../world.ts';
import { originOf } from './declared.ts';

/** The policy's connection, when it can be used at this moment and is not being deleted. */
export function usableConnection(world: World, policy: StoredObject): StoredObject | undefined {
  const connection = usableByKey(world, connectionKeyOf(policy));
  return connection && isEnding(world, connection) ? undefined : connection;
}

/** True while the connection or its namespace is being deleted. */
export function isEnding(world: World, { metadata }: StoredObject): boolean {
  const namespace = world.api.store.get('namespaces', metadata.namespace ?? '');
  return metadata.deletionTimestamp !== undefined || namespace?.metadata.deletionTimestamp !== undefined;
}

export function usableByKey(world: World, key: string): StoredObject | undefined {
  const connection = connectionAt(world.api.store, key);
  return connection && isUsable(world, connection) ? connection : undefined;
}

/** True when the service accepts its credential at this moment. The connection may be deleted. */
export function isUsable(world: World, connection: StoredObject): boolean {
  if (!world.services.some(({ origin }) => origin === originOf(connection))) return false;
  if (!isTrusted(world, connection)) return false;
  const auth = (connection.spec?.['auth'] ?? {}) as Json;
  const federated = auth['federated'] as Json | undefined;
  if (federated) return isServed(world, federated) && isAccountTrusted(world, connection, federated);
  const value = secretOf(world.api.store, connection);
  const client = auth['clientCredentials'] as Json | undefined;
  if (value === undefined) return false;
  if (!client) return world.service.staticTokens.has(value);
  return isServed(world, client) && world.service.clients.get(String(client['clientID'])) === value;
}

function isServed(world: World, { tokenURL }: Json): boolean {
  const tokenOrigin = new URL(String(tokenURL)).origin;
  return world.services.some(({ origin }) => origin === tokenOrigin);
}

/** An audience of the API server is never used, even if the service trusted it. */
function isAccountTrusted(world: World, connection: StoredObject, { clientID }: Json): boolean {
  const consent = consentOf(world.api.store, connection);
  const trust = world.service.accounts.trusts.get(String(clientID));
  return consent !== undefined && consent.audience !== clusterIssuer && isSameJson(consent, trust);
}

/** The same for one scope: the service may refuse it to that connection alone. */
export function isRefused(world: World, connection: StoredObject, scope: string): boolean {
  return world.lasting.at(originOf(connection) ?? '', scope, keyAnywhere(connection)).length > 0;
}

/** False for a credential that may list and change nothing. */
export function mayPatch({ service }: World, connection: string): boolean {
  return !callersOf(connection).some((caller) => service.accounts.readers.has(caller));
}

/** A CA bundle that the connection names must contain the current authority. */
function isTrusted(world: World, connection: StoredObject): boolean {
  const bundle = ((connection.spec?.['endpoint'] ?? {}) as Json)['caBundleRef'] as Json | undefined;
  if (bundle === undefined) return true;
  const found = world.api.store.get('configmaps', `${resourcesOf(connection)}/${String(bundle['name'])}`);
  return ((found?.['data'] ?? {}) as Json)['ca.crt'] === world.authority;
}
