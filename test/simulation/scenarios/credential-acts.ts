// Secrets, their labels and their values go or change for good, while what they held still works at the service: only the operator can
// end its use.
import { callerOf } from '../alerts/callers.ts';
import { type Json, textOf } from '../kube/spec-rules.ts';
import type { Act } from './act.ts';
import { attempt, type Cast, connectionNames, credentialName, putSecret } from './cast.ts';
import { pick } from './schema-walker.ts';

/** Not the first connection of all, so that enough of the world goes on. */
function drawSecret(cast: Cast): { namespace: string; connection: string; value: string } | undefined {
  const namespace = pick(cast.random, cast.place.namespaces);
  const connection = pick(cast.random, connectionNames);
  const secret = cast.world.api.store.get('secrets', `${namespace}/${credentialName(connection)}`);
  const encoded = ((secret?.['data'] ?? {}) as Json)['value'];
  if (encoded === undefined) return undefined;
  return { namespace, connection, value: Buffer.from(textOf(encoded), 'base64').toString('utf8') };
}

function withSecret(cast: Cast, act: (found: NonNullable<ReturnType<typeof drawSecret>>) => void): void {
  const found = drawSecret(cast);
  if (found) act(found);
}

export const credentialActs: Readonly<Record<string, Act>> = {
  'secret goes for good': (cast) =>
    withSecret(cast, ({ namespace, connection }) => {
      const { api } = cast.world;
      attempt(() => api.writes.delete(api.resource('secrets'), namespace, credentialName(connection)));
    }),
  'label goes for good': (cast) =>
    withSecret(cast, ({ namespace, connection, value }) => {
      attempt(() => putSecret(cast, namespace, connection, value, false));
    }),
  'rotate while the old one works': (cast) =>
    withSecret(cast, ({ namespace, connection, value }) => {
      const { service, time } = cast.world;
      const next = `${value.split('-at-')[0]}-at-${Math.floor(time.nowMs)}`;
      const caller = service.staticTokens.get(value);
      if (caller !== undefined) service.staticTokens.set(next, caller);
      else if (service.clients.get(callerOf('client', namespace, connection)) === value) {
        // The token that was given for the old secret goes on working.
        service.clients.set(callerOf('client', namespace, connection), next);
      } else return;
      attempt(() => putSecret(cast, namespace, connection, next));
    }),
  'bundle comes': (cast) => {
    const all = cast.world.api.store.list('rolealertconnections');
    if (all.length === 0) return;
    const { metadata } = pick(cast.random, all);
    const { api } = cast.world;
    if (cast.random.next() < 0.9) putBundle(cast, metadata.namespace ?? '');
    attempt(() =>
      api.writes.mergePatch(api.resource('rolealertconnections'), metadata.namespace, metadata.name, {
        spec: { endpoint: { caBundleRef: { name: bundleName } } },
      }),
    );
  },
  /** Every bundle is renewed some time later, most of them. */
  'authority rotates': (cast) => {
    const { world, random } = cast;
    world.authority = `authority-${Math.floor(world.time.nowMs)}`;
    for (const { metadata } of world.api.store.list('configmaps')) {
      if (random.next() < 0.9)
        world.time.schedule(random.next() * 60_000, () => putBundle(cast, metadata.namespace ?? ''));
    }
  },
};

const bundleName = 'authority';

function putBundle({ world }: Cast, namespace: string): void {
  const { api } = world;
  const sent = { metadata: { name: bundleName }, data: { 'ca.crt': world.authority } };
  const bundles = api.resource('configmaps');
  const isThere = api.store.get('configmaps', `${namespace}/${bundleName}`) !== undefined;
  attempt(() =>
    isThere ? api.writes.replace(bundles, namespace, bundleName, sent) : api.writes.create(bundles, namespace, sent),
  );
}
