// Whether the credential that a connection names may be used: a Secret with its label, or a ServiceAccount with the audience in its
// annotation. Written from the specified behaviour.
import { resourcesOf } from './connection-keys.ts';
import type { StoredObject } from './object.ts';
import { type Json, textOf } from './spec-rules.ts';
import type { ObjectStore } from './store.ts';

/** What the Secret holds; undefined when it may not be used. */
export function secretOf(store: ObjectStore, connection: StoredObject): string | undefined {
  const { spec = {} } = connection;
  const { tokenSecretRef, clientCredentials } = (spec['auth'] ?? {}) as Record<string, Json | undefined>;
  const reference = (tokenSecretRef ?? clientCredentials?.['clientSecretRef']) as Json | undefined;
  const secret = store.get('secrets', `${resourcesOf(connection)}/${String(reference?.['name'])}`);
  if (secret?.metadata.labels?.['rolealerts.dev/credential'] !== 'true') return undefined;
  const encoded = ((secret['data'] ?? {}) as Json)[String(reference?.['key'])];
  return encoded === undefined ? undefined : Buffer.from(textOf(encoded), 'base64').toString('utf8');
}

/** `namespace/name` of the ServiceAccount and the audience; undefined when it does not consent. */
export function consentOf(
  store: ObjectStore,
  connection: StoredObject,
): { readonly account: string; readonly audience: string } | undefined {
  const { federated } = (connection.spec?.['auth'] ?? {}) as Record<string, Json | undefined>;
  if (!federated) return undefined;
  const account = `${resourcesOf(connection)}/${String(federated['serviceAccountName'])}`;
  const audience = String(federated['audience']);
  const annotations = store.get('serviceaccounts', account)?.metadata.annotations;
  return annotations?.['rolealerts.dev/federated-audience'] === audience ? { account, audience } : undefined;
}
