// The actions of users, other programs and faults in a scenario, one at a time: each drawn by seed, each under the same rules
// as any client of the API server or the service.
import { callerOf } from '../alerts/callers.ts';
import { type SimProcess, startOfTimeMs } from '../engine/sim-process.ts';
import { allConnections, pluralOf } from '../kube/connection-keys.ts';
import { createNamespace, terminateNamespace } from '../kube/namespaces.ts';
import { Refusal } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
import { kubeOrigin } from '../replica.ts';
import { serviceOrigin } from '../world.ts';
import { accountActions, credentialActions } from './credential-actions.ts';
import { danger } from './danger.ts';
import { createFleetConnection, fleetActions, ofFleet } from './fleet.ts';
import {
  attempt,
  connectionNames,
  createConnection,
  createPolicy,
  credentialName,
  drawConnectionSettings,
  type Generators,
  putSecret,
  restart,
  type ScenarioAction,
  tokenOf,
} from './generators.ts';
import { neighbourActions } from './neighbours.ts';
import { pick, spoil } from './schema-walker.ts';
import { servingActions as serving } from './serving-actions.ts';
import { drawPolicySpec, drawSuspension, resumption } from './specs.ts';

const policies = (generators: Generators) => generators.world.api.store.list('rolealertpolicies');
const connections = (generators: Generators) => allConnections(generators.world.api.store);

function withPolicy(generators: Generators, act: (namespace: string, name: string, spec: Json) => void): void {
  const all = policies(generators);
  if (all.length === 0) return;
  const { metadata, spec = {} } = pick(generators.random, all);
  act(metadata.namespace ?? '', metadata.name, spec);
}

function patchPolicy(generators: Generators, namespace: string, name: string, patch: object, isStatus = false): void {
  const { api } = generators.world;
  const sub = isStatus ? ('status' as const) : undefined;
  attempt(() => api.writes.mergePatch(api.resource('rolealertpolicies'), namespace, name, { ...patch }, sub));
}

/** A whole new spec, as `kubectl replace` sends it. */
function replaceSpec(generators: Generators, namespace: string, name: string, spec: unknown): void {
  const { api } = generators.world;
  attempt(() => api.writes.replace(api.resource('rolealertpolicies'), namespace, name, { metadata: { name }, spec }));
}

const editing: Readonly<Record<string, ScenarioAction>> = {
  edit: (generators) =>
    withPolicy(generators, (namespace, name, spec) =>
      replaceSpec(generators, namespace, name, drawPolicySpec(generators, spec)),
    ),
  'invalid edit': (generators) =>
    withPolicy(generators, (namespace, name, spec) =>
      replaceSpec(generators, namespace, name, spoil(drawPolicySpec(generators, spec), generators.random)),
    ),
  'edit and revert': (generators) =>
    withPolicy(generators, (namespace, name, spec) => {
      replaceSpec(generators, namespace, name, drawPolicySpec(generators, spec));
      generators.world.time.schedule(generators.random.next() * 3000, () =>
        replaceSpec(generators, namespace, name, spec),
      );
    }),
  suspend: (generators) =>
    withPolicy(generators, (namespace, name, spec) =>
      patchPolicy(generators, namespace, name, {
        spec: spec['suspend'] === true ? resumption : drawSuspension(generators),
      }),
    ),
  requestReconcile: (generators) =>
    withPolicy(generators, (namespace, name) => {
      const annotations = { 'rolealerts.dev/requestedAt': String(generators.world.time.nowMs) };
      patchPolicy(generators, namespace, name, { metadata: { annotations } });
    }),
  create: (generators) => {
    attempt(() =>
      createPolicy(
        generators,
        pick(generators.random, generators.place.namespaces),
        pick(generators.random, generators.place.policyNames),
      ),
    );
  },
  'delete policy': (generators) =>
    withPolicy(generators, (namespace, name) => {
      const { api } = generators.world;
      attempt(() => api.writes.delete(api.resource('rolealertpolicies'), namespace, name));
    }),
  're-create policy': (generators) =>
    withPolicy(generators, (namespace, name) => {
      const { api } = generators.world;
      attempt(() => api.writes.delete(api.resource('rolealertpolicies'), namespace, name));
      attempt(() => createPolicy(generators, namespace, name));
    }),
  'wipe status': (generators) =>
    withPolicy(generators, (namespace, name) => patchPolicy(generators, namespace, name, { status: null }, true)),
};

const connecting: Readonly<Record<string, ScenarioAction>> = {
  'edit connection': (generators) => {
    const all = connections(generators);
    if (all.length === 0) return;
    const connection = pick(generators.random, all);
    const { api } = generators.world;
    const spec = drawConnectionSettings(generators);
    const { namespace, name } = connection.metadata;
    attempt(() => api.writes.mergePatch(api.resource(pluralOf(connection)), namespace, name, { spec }));
  },
  'withdraw grant': (generators) => {
    const { api } = generators.world;
    const all = connections(generators);
    const some = generators.random.next() < 0.3 ? all : all.slice(0, 1);
    for (const connection of some) {
      const { namespace, name } = connection.metadata;
      attempt(() =>
        api.writes.mergePatch(api.resource(pluralOf(connection)), namespace, name, {
          spec: { deactivation: 'Deny' },
        }),
      );
    }
  },
  'delete connection': (generators) => {
    const all = connections(generators);
    if (all.length === 0) return;
    const connection = pick(generators.random, all);
    const { namespace, name } = connection.metadata;
    const { api, time } = generators.world;
    attempt(() => api.writes.delete(api.resource(pluralOf(connection)), namespace, name));
    time.schedule(generators.random.next() * 60_000, () =>
      attempt(() =>
        namespace === undefined
          ? createFleetConnection(ofFleet(generators))
          : createConnection(generators, namespace, name),
      ),
    );
  },
  'rotate token': (generators) => {
    const { service, time } = generators.world;
    const [namespace, name] = [
      pick(generators.random, generators.place.namespaces),
      pick(generators.random, connectionNames),
    ];
    const old = [...service.staticTokens].find(([, caller]) => caller === callerOf('token', namespace, name))?.[0];
    if (old === undefined) return;
    const token = `${tokenOf(namespace, name)}-${Math.floor(time.nowMs)}`;
    service.staticTokens.set(token, callerOf('token', namespace, name));
    service.staticTokens.delete(old);
    time.schedule(generators.random.next() * 90_000, () =>
      attempt(() => putSecret(generators, namespace, name, token)),
    );
  },
  'delete secret for a while': (generators) => {
    const [namespace, name] = [
      pick(generators.random, generators.place.namespaces),
      pick(generators.random, connectionNames),
    ];
    const { api, time } = generators.world;
    const key = `${namespace}/${credentialName(name)}`;
    const secret = api.store.get('secrets', key);
    if (!secret) return;
    attempt(() => api.writes.delete(api.resource('secrets'), namespace, credentialName(name)));
    const value = Buffer.from(String((secret['data'] as Json)['value']), 'base64').toString('utf8');
    time.schedule(generators.random.next() * 120_000, () =>
      attempt(() => putSecret(generators, namespace, name, value, generators.random.next() < 0.9)),
    );
  },
  'expire tokens': ({ world }) => world.service.expireTokens(),
  'delete namespace': (generators) => {
    const { world, random } = generators;
    terminateNamespace(world.api, world.time, random, 'team-b');
    world.time.schedule(60_000 + random.next() * 60_000, () => {
      attempt(() => createNamespace(world.api, 'team-b'));
      attempt(() => createConnection(generators, 'team-b', 'prod'));
      attempt(() => createPolicy(generators, 'team-b', pick(random, generators.place.policyNames)));
    });
  },
};

const cluster: Readonly<Record<string, ScenarioAction>> = {
  compact: ({ world }) => world.api.store.compact(),
  'end watches': ({ world }) => world.api.watches.endAll(undefined),
  'watches expire': ({ world }) => world.api.watches.endAll(undefined, new Refusal(410, 'too old resource version')),
  'silent connections': ({ world }) => world.network.silenceAll(kubeOrigin),
  'broken connections': ({ world, random }) => world.network.breakAll(pick(random, [kubeOrigin, serviceOrigin])),
  'forbidden for a while': ({ world, random, traits }) => {
    const plurals = ['rolealertpolicies', 'rolealertconnections', 'secrets', 'events', 'leases'];
    const ofFleets = ['clusterrolealertconnections', 'namespaces'];
    const plural = pick(random, traits?.hasFleet ? [...plurals, ...ofFleets] : plurals);
    world.api.isDenied = (call) => call.plural === plural && (call.verb !== 'watch' || random.next() < 0.5);
    world.time.schedule(random.next() * 90_000, () => {
      world.api.isDenied = () => false;
    });
  },
  'crd goes for a while': ({ world, random, traits }) => {
    const plurals = ['rolealertpolicies', 'rolealertconnections'];
    const plural = pick(random, traits?.hasFleet ? [...plurals, 'clusterrolealertconnections'] : plurals);
    world.api.removed.add(plural);
    world.api.watches.endAll(plural);
    world.time.schedule(random.next() * 60_000, () => world.api.removed.delete(plural));
  },
  'rotate kube token': ({ world }) => {
    const token = `kube-token-${Math.floor(world.time.nowMs)}`;
    world.api.tokens.clear();
    world.api.tokens.add(token);
    world.time.schedule(20_000, () => {
      world.kubeToken = token;
    });
  },
};

const processes: Readonly<Record<string, ScenarioAction>> = {
  kill: (generators) =>
    withReplica(generators, (replica) => {
      replica.kill();
      restart(generators);
    }),
  terminate: (generators) =>
    withReplica(generators, (replica) => {
      void replica.stop();
      restart(generators);
    }),
  freeze: (generators) =>
    withReplica(generators, (replica) => {
      replica.process.freeze();
      generators.world.time.schedule(generators.random.next() * 80_000, () => replica.process.thaw());
    }),
  'freeze at the next PATCH': freezeAtNextPatch,
  'log is full': (generators) =>
    withReplica(generators, (replica) => {
      replica.isLogFull = true;
    }),
  'step the clock': (generators) =>
    withReplica(generators, (replica) => {
      generators.world.stepClock(replica, (generators.random.next() - 0.5) * 2 * 3_600_000);
    }),
};

/** Freezes the process that sends it until the Lease is about to end, or for longer. */
export function freezeAtNextPatch({ world, random }: Pick<Generators, 'world' | 'random'>): void {
  const freeze = (process: SimProcess, method: string) => {
    if (method !== 'PATCH') return;
    world.onDispatch.delete(freeze);
    process.freeze();
    world.time.schedule(30_000 + random.next() * 50_000, () => process.thaw());
  };
  world.onDispatch.add(freeze);
}

function withReplica(generators: Generators, act: (replica: Generators['world']['replicas'][number]) => void): void {
  const alive = generators.world.replicas.filter(({ isAlive }) => isAlive);
  if (alive.length > 0) act(pick(generators.random, alive));
}

/** By name. */
export const actions: Readonly<Record<string, ScenarioAction>> = {
  ...editing,
  ...connecting,
  ...serving,
  ...cluster,
  ...processes,
  ...danger,
  ...credentialActions,
  ...neighbourActions,
  ...fleetActions,
  ...accountActions,
};

const always: readonly string[] = [
  ...[editing, connecting, serving, cluster, processes, danger].flatMap(Object.keys),
  'edit',
  'edit',
  'edit',
  'requestReconcile',
  'create',
  'create',
  'drift',
  'drift',
  'drift',
  'scan',
  're-raise',
  'kill',
];

/** What may happen in a world; the more often a name is in it, the more often it is drawn. */
export function deckOf({ traits }: Pick<Generators, 'traits'>): readonly string[] {
  const often = (isSo: boolean | undefined, names: readonly string[], times: number) =>
    isSo ? Array.from({ length: times }, () => names).flat() : [];
  const { 'finalizers hold': _, 'endpoint moves': __, ...rest } = danger;
  const usual = always.filter((name) => !Object.hasOwn(danger, name) || Object.hasOwn(rest, name));
  return [
    ...usual,
    ...often(traits?.isQuarrelsome, ['insist', 'requestReconcile'], 4),
    ...often(traits?.hasNeighbours, Object.keys(neighbourActions), 3),
    ...often(traits?.losesCredentials, Object.keys(credentialActions), 3),
    ...often(traits?.moves, ['endpoint moves'], 6),
    ...often(traits?.hasFinalizers, ['finalizers hold'], 6),
    ...often(traits?.hasFleet, Object.keys(fleetActions), 3),
    ...often(traits?.hasAccounts, Object.keys(accountActions), 3),
  ];
}

/** Repairs every permanent fault, and makes sure that a replica runs. */
export async function repairWorld({ world }: Generators): Promise<void> {
  world.onDispatch.clear();
  world.api.isDenied = () => false;
  world.api.removed.clear();
  world.api.tokens.add('sim-token');
  world.kubeToken = 'sim-token';
  for (const replica of world.replicas) {
    replica.process.thaw();
    const offMs = replica.process.clock.now() - startOfTimeMs - world.time.nowMs;
    if (offMs !== 0) world.stepClock(replica, -offMs);
  }
  // One that was frozen for too long ends itself now.
  await world.time.runUntil(world.time.nowMs + 5000);
  if (!world.replicas.some(({ isAlive }) => isAlive)) await world.startReplica();
}
