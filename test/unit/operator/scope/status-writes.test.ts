// How the status writes of one connection leave room for those of others: the API server is reached by a few sockets.
import { expect, test } from 'vitest';

import { KubeError } from '../../../../src/operator/kube/kube-error.ts';
import type { ClusterPort } from '../../../../src/operator/ports.ts';
import { active, connection, firing, inactive, policy } from '../../../support/builders/objects.ts';
import type { ManualClock } from '../../../support/rigs/manual-clock.ts';
import {
  neighbour,
  neighboursPolicy,
  TwoConnectionsWorld as World,
  scope,
} from '../../../support/rigs/two-connections-world.ts';

const sockets = 4;
const writeMs = 20;

/** The API server behind its sockets, first come, first served. */
class Sockets {
  clock: ManualClock | undefined;
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  fence = (cluster: ClusterPort): ClusterPort => ({
    ...cluster,
    replacePolicyStatus: async (...call) => {
      await this.#turn();
      return cluster.replacePolicyStatus(...call);
    },
    replaceConnectionStatus: async (...call) => {
      await this.#turn();
      return cluster.replaceConnectionStatus(...call);
    },
  });

  async #turn(): Promise<void> {
    if (this.#busy >= sockets) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#busy++;
    await new Promise<void>((resolve) => this.clock?.setTimer(writeMs, resolve));
    this.#busy--;
    this.#waiting.shift()?.();
  }
}

test('a thousand policies of one connection keep no ledger entry of another one waiting', async () => {
  const api = new Sockets();
  const world = new World({ fence: api.fence });
  api.clock = world.clock;
  const theirs = 'subscriptions/theirs';
  world.live.set(scope, [firing(['a'])]).set(theirs, [firing(['a'])]);
  for (const object of [connection(), policy({ spec: { alerts: [active] } }), neighbour()]) world.apply(object);
  const many = Array.from({ length: 1000 }, (_, at) =>
    neighboursPolicy({ scope: theirs, alerts: [active] }, `theirs-${at}`),
  );
  for (const each of many) world.apply(each);
  world.controller.start();
  await world.clock.advance(60_000);
  // Everything of the neighbour is written again.
  world.live.set(theirs, [firing(['a', 'b'])]);
  const [first] = many;
  if (first) world.apply({ ...first, metadata: { ...first.metadata, generation: 2 } });
  await world.clock.advance(40);
  const quiet = policy({ spec: { alerts: [inactive({ maxIncidents: 5 })] } });
  world.apply({ ...quiet, metadata: { ...quiet.metadata, generation: 2 } });
  await world.clock.advance(500);
  expect(world.patches()).toEqual(['team/prod false']);
});

test('an API server that does not answer is asked for a few statuses only, however many policies there are', async () => {
  let tries = 0;
  const world: World = new World({
    fence: (cluster) => ({
      ...cluster,
      async replacePolicyStatus() {
        tries++;
        await new Promise<void>((resolve) => world.clock.setTimer(30_000, resolve));
        throw new KubeError('kube-unreachable', 'made to fail');
      },
    }),
  });
  world.live.set(scope, [firing(['a'])]);
  world.apply(connection());
  for (let at = 0; at < 100; at++) world.apply(policy({ name: `owners-${at}`, spec: { alerts: [active] } }));
  world.controller.start();
  await world.clock.advance(31_000);
  expect(world.results).toEqual(['error']);
  expect(tries).toBe(4);
});
