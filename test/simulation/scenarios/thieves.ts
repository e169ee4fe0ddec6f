// Connections that name a credential which was not meant for them. Whatever they name works at the service: only the operator can keep it
// from being used.
import { callerOf } from '../alerts/callers.ts';
import { resourceNamespace } from '../kube/connection-keys.ts';
import { Refusal } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
import { serviceOrigin, type World } from '../world.ts';
import { putAccount } from './accounts.ts';

/** Of the connection, of its policy and of what it names. */
export const thief = 'thief';
const audience = 'api://alerts';

export const thefts = [
  'an unlabelled Secret',
  'a Secret of another namespace',
  'a path to a Secret of another namespace',
  'a ServiceAccount that does not consent',
  'a ServiceAccount that consents to another audience',
  'a CA bundle of another namespace',
] as const;
export type Theft = (typeof thefts)[number];

interface Target {
  readonly namespace: string;
  /** The Secret of a connection elsewhere. */
  readonly secret: string;
  readonly scope: string;
  readonly until: string;
}

/** Creates a connection that names what the theft is about, and a policy that dismisses `alerts` through it. */
export function steal(world: World, theft: Theft, target: Target & { readonly alerts: readonly string[] }): void {
  const { namespace, scope, until, alerts } = target;
  putBack(world, namespace);
  const { writes, store } = world.api;
  const connections = world.api.resource('rolealertconnections');
  // A finalizer holds the one before: its theft succeeded, and an oracle fails.
  if (store.get('rolealertconnections', `${namespace}/${thief}`)) return;
  const { leap, ...spec } = specOf(world, theft, target);
  writes.create(connections, namespace, {
    metadata: { name: thief },
    spec: { deactivation: 'Allow', limits: { minInterval: '5s' }, ...spec },
  });
  const made = store.get('rolealertconnections', `${namespace}/${thief}`);
  // As an older schema stored it: the present one refuses the name.
  if (leap && made) {
    const metadata = { ...made.metadata, generation: (made.metadata.generation ?? 1) + 1 };
    store.put('rolealertconnections', { ...made, metadata, spec: { ...made.spec, ...(leap as Json) } });
  }
  const dismissal = { reason: 'tracked in SEC-1182', until };
  writes.create(world.api.resource('rolealertpolicies'), namespace, {
    metadata: { name: thief },
    spec: {
      connectionRef: { name: thief },
      scope,
      interval: '10s',
      alerts: alerts.map((name) => ({ name, state: 'Inactive', dismissal })),
    },
  });
}

/** Deletes the connection and its policy. */
export function putBack({ api }: World, namespace: string): void {
  for (const plural of ['rolealertpolicies', 'rolealertconnections']) {
    try {
      api.writes.delete(api.resource(plural), namespace, thief);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
}

function specOf(world: World, theft: Theft, { namespace, secret }: Target): Json {
  const endpoint = { baseURL: serviceOrigin };
  const named = (name: string) => ({ auth: { tokenSecretRef: { name, key: 'value' } } });
  switch (theft) {
    case 'an unlabelled Secret':
      return { endpoint, ...named(putOwn(world, namespace, false)) };
    case 'a Secret of another namespace':
      return { endpoint, ...named(secret) };
    case 'a path to a Secret of another namespace':
      return { endpoint, ...named(secret), leap: named(`../../${resourceNamespace}/secrets/${secret}`) };
    case 'a ServiceAccount that does not consent':
      return { endpoint, ...asAccount(world, namespace, '') };
    case 'a ServiceAccount that consents to another audience':
      return { endpoint, ...asAccount(world, namespace, 'api://other') };
    case 'a CA bundle of another namespace':
      putBundle(world);
      return { endpoint: { ...endpoint, caBundleRef: { name: thief } }, ...named(putOwn(world, namespace, true)) };
  }
}

/** A Secret whose value the service accepts. */
function putOwn({ api, service }: World, namespace: string, isLabelled: boolean): string {
  const value = `token-of-the-thief-${namespace}-${String(isLabelled)}`;
  service.staticTokens.set(value, callerOf('token', namespace, thief));
  const name = `${thief}-${isLabelled ? 'labelled' : 'unlabelled'}`;
  const labels = isLabelled ? { labels: { 'rolealerts.dev/credential': 'true' } } : {};
  const sent = { metadata: { name, ...labels }, data: { value: Buffer.from(value).toString('base64') } };
  if (!api.store.get('secrets', `${namespace}/${name}`)) api.writes.create(api.resource('secrets'), namespace, sent);
  return name;
}

function asAccount(world: World, namespace: string, annotated: string): Json {
  const clientID = callerOf('client', namespace, thief);
  putAccount({ world }, namespace, thief, annotated);
  world.service.accounts.trusts.set(clientID, { account: `${namespace}/${thief}`, audience });
  const tokenURL = `${serviceOrigin}/token`;
  return { auth: { federated: { tokenURL, clientID, serviceAccountName: thief, audience } } };
}

/** In the namespace of the operator only. */
function putBundle({ api, authority }: World): void {
  const sent = { metadata: { name: thief }, data: { 'ca.crt': authority } };
  if (api.store.get('configmaps', `${resourceNamespace}/${thief}`)) return;
  api.writes.create(api.resource('configmaps'), resourceNamespace, sent);
}
