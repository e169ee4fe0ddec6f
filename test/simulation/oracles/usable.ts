// Which connections have a credential that the service accepts, and so may compete: a URL alone proves nothing.
import type { StoredObject } from '../kube/object.ts';
import { type Json, textOf } from '../kube/spec-rules.ts';
import type { World } from '../world.ts';
import { connectionKeyOf, originOf } from './declared.ts';

/** The policy's connection, when it can be used at this moment. */
export function usableConnection(world: World, policy: StoredObject): StoredObject | undefined {
  return usableByKey(world, connectionKeyOf(policy));
}

export function usableByKey(world: World, key: string): StoredObject | undefined {
  const connection = world.api.store.get('rolealertconnections', key);
  return connection && isUsable(world, connection) ? connection : undefined;
}

/** True when the service accepts its credential at this moment. The connection may be deleted. */
export function isUsable(world: World, connection: StoredObject): boolean {
  if (!world.services.some(({ origin }) => origin === originOf(connection))) return false;
  if (!isTrusted(world, connection)) return false;
  const value = credentialOf(world, connection);
  const auth = (connection.spec?.['auth'] ?? {}) as Json;
  const client = auth['clientCredentials'] as Json | undefined;
  if (value === undefined) return false;
  if (!client) return world.service.staticTokens.has(value);
  const tokenOrigin = new URL(String(client['tokenURL'])).origin;
  const isServed = world.services.some(({ origin }) => origin === tokenOrigin);
  return isServed && world.service.clients.get(String(client['clientID'])) === value;
}

/** The same for one scope: the service may refuse it to that connection alone. */
export function isRefused(world: World, connection: StoredObject, scope: string): boolean {
  const { namespace, name } = connection.metadata;
  return world.lasting.at(originOf(connection) ?? '', scope, `${namespace}/${name}`).length > 0;
}

/** A CA bundle that the connection names must contain the current authority. */
function isTrusted(world: World, { metadata, spec = {} }: StoredObject): boolean {
  const bundle = ((spec['endpoint'] ?? {}) as Json)['caBundleRef'] as Json | undefined;
  if (bundle === undefined) return true;
  const found = world.api.store.get('configmaps', `${metadata.namespace}/${String(bundle['name'])}`);
  return ((found?.['data'] ?? {}) as Json)['ca.crt'] === world.authority;
}

/** What its Secret holds, when it carries the label. */
function credentialOf(world: World, { metadata, spec = {} }: StoredObject): string | undefined {
  const { tokenSecretRef, clientCredentials } = (spec['auth'] ?? {}) as Record<string, Json | undefined>;
  const reference = (tokenSecretRef ?? clientCredentials?.['clientSecretRef']) as Json | undefined;
  const secret = world.api.store.get('secrets', `${metadata.namespace}/${String(reference?.['name'])}`);
  if (secret?.metadata.labels?.['rolealerts.dev/credential'] !== 'true') return undefined;
  const encoded = ((secret['data'] ?? {}) as Json)[String(reference?.['key'])];
  return encoded === undefined ? undefined : Buffer.from(textOf(encoded), 'base64').toString('utf8');
}
