// What happens to the ServiceAccounts of connections, and to the keys of the cluster.
import { putAccount } from './accounts.ts';
import type { ScenarioAction } from './action.ts';
import { attempt, type Generators } from './generators.ts';
import { pick } from './schema-walker.ts';

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
