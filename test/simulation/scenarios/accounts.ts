// Connections of a drawn world that act as a ServiceAccount.
import type { Json } from '../kube/spec-rules.ts';
import { serviceOrigin } from '../world.ts';
import type { Generators } from './generators.ts';

const audience = 'api://alerts';
const annotation = 'rolealerts.dev/federated-audience';

/** The `auth` of a connection, whose ServiceAccount consents, and which the service trusts. */
export function federate(
  { world }: Generators,
  clientID: string,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Json {
  const account = accountName(name);
  world.service.accounts.trusts.set(clientID, { account: `${namespace}/${account}`, audience });
  putAccount({ world }, namespace, account);
  return { federated: { tokenURL: `${serviceOrigin}/token`, clientID, serviceAccountName: account, audience } };
}

function accountName(connection: string): string {
  return `${connection}-account`;
}

/** Made, or with another annotation. */
export function putAccount(
  { world: { api } }: Pick<Generators, 'world'>,
  namespace: string,
  name: string,
  annotated: string | undefined = audience,
): void {
  const annotations = annotated === undefined || annotated === '' ? {} : { [annotation]: annotated };
  const sent = { metadata: { name, annotations } };
  const accounts = api.resource('serviceaccounts');
  if (api.store.get('serviceaccounts', `${namespace}/${name}`)) api.writes.replace(accounts, namespace, name, sent);
  else api.writes.create(accounts, namespace, sent);
}
