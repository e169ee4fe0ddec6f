// Secrets, their labels and their values go or change for good, while what they held still works at the service: only the operator can
// end its use. The same with the ServiceAccounts of connections, and the keys of the cluster.
import { callerOf } from '../alerts/callers.ts';
import { allConnections, pluralOf, resourcesOf } from '../kube/connection-keys.ts';
import { type Json, textOf } from '../kube/spec-rules.ts';
import { putAccount } from './accounts.ts';
import {
  attempt,
  connectionNames,
  credentialName,
  type Generators,
  putSecret,
  type ScenarioAction,
} from './generators.ts';
import { pick } from './schema-walker.ts';

/** Not the first connection of all, so that enough of the world continues. */
function drawSecret(generators: Generators): { namespace: string; connection: string; value: string } | undefined {
  const namespace = pick(generators.random, generators.place.namespaces);
  const connection = pick(generators.random, connectionNames);
  const secret = generators.world.api.store.get('secrets', `${namespace}/${credentialName(connection)}`);
  const encoded = ((secret?.['data'] ?? {}) as Json)['value'];
  if (encoded === undefined) return undefined;
  return { namespace, connection, value: Buffer.from(textOf(encoded), 'base64').toString('utf8') };
}

function withSecret(generators: Generators, act: (found: NonNullable<ReturnType<typeof drawSecret>>) => void): void {
  const found = drawSecret(generators);
  if (found) act(found);
}

export const credentialActions: Readonly<Record<string, ScenarioAction>> = {
  'secret goes for good': (generators) =>
    withSecret(generators, ({ namespace, connection }) => {
      const { api } = generators.world;
      attempt(() => api.writes.delete(api.resource('secrets'), namespace, credentialName(connection)));
    }),
  'label goes for good': (generators) =>
    withSecret(generators, ({ namespace, connection, value }) => {
      attempt(() => putSecret(generators, namespace, connection, value, false));
    }),
  'rotate while the old one works': (generators) =>
    withSecret(generators, ({ namespace, connection, value }) => {
      const { service, time } = generators.world;
      const next = `${value.split('-at-')[0]}-at-${Math.floor(time.nowMs)}`;
      const caller = service.staticTokens.get(value);
      if (caller !== undefined) service.staticTokens.set(next, caller);
      else if (service.clients.get(callerOf('client', namespace, connection)) === value) {
        // The token that was given for the old secret still works.
        service.clients.set(callerOf('client', namespace, connection), next);
      } else return;
      attempt(() => putSecret(generators, namespace, connection, next));
    }),
  'bundle comes': (generators) => {
    const all = allConnections(generators.world.api.store);
    if (all.length === 0) return;
    const connection = pick(generators.random, all);
    const { namespace, name } = connection.metadata;
    const { api } = generators.world;
    if (generators.random.next() < 0.9) putBundle(generators, resourcesOf(connection));
    attempt(() =>
      api.writes.mergePatch(api.resource(pluralOf(connection)), namespace, name, {
        spec: { endpoint: { caBundleRef: { name: bundleName } } },
      }),
    );
  },
  /** Every bundle is renewed some time later, most of them. */
  'authority rotates': (generators) => {
    const { world, random } = generators;
    world.authority = `authority-${Math.floor(world.time.nowMs)}`;
    for (const { metadata } of world.api.store.list('configmaps')) {
      if (random.next() < 0.9)
        world.time.schedule(random.next() * 60_000, () => putBundle(generators, metadata.namespace ?? ''));
    }
  },
};

const bundleName = 'authority';

function putBundle({ world }: Generators, namespace: string): void {
  const { api } = world;
  const sent = { metadata: { name: bundleName }, data: { 'ca.crt': world.authority } };
  const bundles = api.resource('configmaps');
  const isThere = api.store.get('configmaps', `${namespace}/${bundleName}`) !== undefined;
  attempt(() =>
    isThere ? api.writes.replace(bundles, namespace, bundleName, sent) : api.writes.create(bundles, namespace, sent),
  );
}

function withAccount(generators: Generators, act: (namespace: string, name: string) => void): void {
  const all = generators.world.api.store.list('serviceaccounts');
  if (all.length === 0) return;
  const { namespace = '', name } = pick(drawsOf(generators), all).metadata;
  act(namespace, name);
}

const drawsOf = ({ random, fleetRandom }: Generators) => fleetRandom ?? random;

export const accountActions: Readonly<Record<string, ScenarioAction>> = {
  'account loses its consent': (generators) =>
    withAccount(generators, (namespace, name) => {
      const random = drawsOf(generators);
      attempt(() => putAccount(generators, namespace, name, pick(random, ['', 'api://other'])));
      if (random.next() < 0.8)
        generators.world.time.schedule(random.next() * 120_000, () =>
          attempt(() => putAccount(generators, namespace, name)),
        );
    }),
  'account is created again': (generators) =>
    withAccount(generators, (namespace, name) => {
      const { api } = generators.world;
      attempt(() => api.writes.delete(api.resource('serviceaccounts'), namespace, name));
      attempt(() => putAccount(generators, namespace, name));
    }),
  'issuer rotates its keys': ({ world }) => world.api.tokenRequests.rotate(),
};
