// What people, other programs and misfortune do in a scenario, one act at a time: each drawn by seed, each through the same rules
// as any client of the API server or the service.
import { callerOf } from '../alerts/callers.ts';
import { type SimProcess, startOfTimeMs } from '../engine/sim-process.ts';
import { createNamespace, terminateNamespace } from '../kube/namespaces.ts';
import { Refusal } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
import { kubeOrigin } from '../replica.ts';
import { serviceOrigin } from '../world.ts';
import type { Act } from './act.ts';
import {
  attempt,
  type Cast,
  connectionNames,
  createConnection,
  createPolicy,
  credentialName,
  drawAlert,
  drawConnectionSettings,
  drawIncidents,
  putSecret,
  tokenOf,
} from './cast.ts';
import { credentialActs } from './credential-acts.ts';
import { danger } from './danger.ts';
import { neighbourActs } from './neighbours.ts';
import { restart } from './restart.ts';
import { pick, spoil } from './schema-walker.ts';
import { drawPolicySpec } from './specs.ts';

const policies = (cast: Cast) => cast.world.api.store.list('rolealertpolicies');
const connections = (cast: Cast) => cast.world.api.store.list('rolealertconnections');

function withPolicy(cast: Cast, act: (namespace: string, name: string, spec: Json) => void): void {
  const all = policies(cast);
  if (all.length === 0) return;
  const { metadata, spec = {} } = pick(cast.random, all);
  act(metadata.namespace ?? '', metadata.name, spec);
}

function patchPolicy(cast: Cast, namespace: string, name: string, patch: object, isStatus = false): void {
  const { api } = cast.world;
  const sub = isStatus ? ('status' as const) : undefined;
  attempt(() => api.writes.mergePatch(api.resource('rolealertpolicies'), namespace, name, { ...patch }, sub));
}

/** A whole new spec, as `kubectl replace` sends it. */
function replaceSpec(cast: Cast, namespace: string, name: string, spec: unknown): void {
  const { api } = cast.world;
  attempt(() => api.writes.replace(api.resource('rolealertpolicies'), namespace, name, { metadata: { name }, spec }));
}

const editing: Readonly<Record<string, Act>> = {
  edit: (cast) =>
    withPolicy(cast, (namespace, name, spec) => replaceSpec(cast, namespace, name, drawPolicySpec(cast, spec))),
  'invalid edit': (cast) =>
    withPolicy(cast, (namespace, name, spec) =>
      replaceSpec(cast, namespace, name, spoil(drawPolicySpec(cast, spec), cast.random)),
    ),
  'edit and revert': (cast) =>
    withPolicy(cast, (namespace, name, spec) => {
      replaceSpec(cast, namespace, name, drawPolicySpec(cast, spec));
      cast.world.time.schedule(cast.random.next() * 3000, () => replaceSpec(cast, namespace, name, spec));
    }),
  suspend: (cast) =>
    withPolicy(cast, (namespace, name, spec) =>
      patchPolicy(cast, namespace, name, { spec: { suspend: spec['suspend'] !== true } }),
    ),
  poke: (cast) =>
    withPolicy(cast, (namespace, name) => {
      const annotations = { 'rolealerts.dev/requestedAt': String(cast.world.time.nowMs) };
      patchPolicy(cast, namespace, name, { metadata: { annotations } });
    }),
  create: (cast) => {
    attempt(() =>
      createPolicy(cast, pick(cast.random, cast.place.namespaces), pick(cast.random, cast.place.policyNames)),
    );
  },
  'delete policy': (cast) =>
    withPolicy(cast, (namespace, name) => {
      const { api } = cast.world;
      attempt(() => api.writes.delete(api.resource('rolealertpolicies'), namespace, name));
    }),
  're-create policy': (cast) =>
    withPolicy(cast, (namespace, name) => {
      const { api } = cast.world;
      attempt(() => api.writes.delete(api.resource('rolealertpolicies'), namespace, name));
      attempt(() => createPolicy(cast, namespace, name));
    }),
  'wipe status': (cast) =>
    withPolicy(cast, (namespace, name) => patchPolicy(cast, namespace, name, { status: null }, true)),
};

const connecting: Readonly<Record<string, Act>> = {
  'edit connection': (cast) => {
    const all = connections(cast);
    if (all.length === 0) return;
    const { metadata } = pick(cast.random, all);
    const { api } = cast.world;
    const spec = drawConnectionSettings(cast);
    const { namespace = '', name } = metadata;
    attempt(() => api.writes.mergePatch(api.resource('rolealertconnections'), namespace, name, { spec }));
  },
  'withdraw grant': (cast) => {
    const { api } = cast.world;
    const all = connections(cast);
    const some = cast.random.next() < 0.3 ? all : all.slice(0, 1);
    for (const { metadata } of some) {
      const { namespace = '', name } = metadata;
      attempt(() =>
        api.writes.mergePatch(api.resource('rolealertconnections'), namespace, name, {
          spec: { deactivation: 'Deny' },
        }),
      );
    }
  },
  'delete connection': (cast) => {
    const all = connections(cast);
    if (all.length === 0) return;
    const { metadata } = pick(cast.random, all);
    const { namespace = '', name } = metadata;
    const { api, time } = cast.world;
    attempt(() => api.writes.delete(api.resource('rolealertconnections'), namespace, name));
    time.schedule(cast.random.next() * 60_000, () => attempt(() => createConnection(cast, namespace, name)));
  },
  'rotate token': (cast) => {
    const { service, time } = cast.world;
    const [namespace, name] = [pick(cast.random, cast.place.namespaces), pick(cast.random, connectionNames)];
    const old = [...service.staticTokens].find(([, caller]) => caller === callerOf('token', namespace, name))?.[0];
    if (old === undefined) return;
    const token = `${tokenOf(namespace, name)}-${Math.floor(time.nowMs)}`;
    service.staticTokens.set(token, callerOf('token', namespace, name));
    service.staticTokens.delete(old);
    time.schedule(cast.random.next() * 90_000, () => attempt(() => putSecret(cast, namespace, name, token)));
  },
  'delete secret for a while': (cast) => {
    const [namespace, name] = [pick(cast.random, cast.place.namespaces), pick(cast.random, connectionNames)];
    const { api, time } = cast.world;
    const key = `${namespace}/${credentialName(name)}`;
    const secret = api.store.get('secrets', key);
    if (!secret) return;
    attempt(() => api.writes.delete(api.resource('secrets'), namespace, credentialName(name)));
    const value = Buffer.from(String((secret['data'] as Json)['value']), 'base64').toString('utf8');
    time.schedule(cast.random.next() * 120_000, () =>
      attempt(() => putSecret(cast, namespace, name, value, cast.random.next() < 0.9)),
    );
  },
  'expire tokens': ({ world }) => world.service.expireTokens(),
  'delete namespace': (cast) => {
    const { world, random } = cast;
    terminateNamespace(world.api, world.time, random, 'team-b');
    world.time.schedule(60_000 + random.next() * 60_000, () => {
      attempt(() => createNamespace(world.api, 'team-b'));
      attempt(() => createConnection(cast, 'team-b', 'prod'));
      attempt(() => createPolicy(cast, 'team-b', pick(random, cast.place.policyNames)));
    });
  },
};

const serving: Readonly<Record<string, Act>> = {
  drift: ({ world, random, place }) =>
    world.service.turn(
      pick(random, place.scopes),
      pick(random, place.alertNames),
      random.next() < 0.4,
      pick(random, ['User', 'Key', 'Application']),
    ),
  scan: ({ world, random, place }) =>
    world.service.scan(pick(random, place.scopes), pick(random, place.alertNames), drawIncidents(random)),
  're-raise': ({ world, random, place }) =>
    world.service.scan(
      pick(random, place.scopes),
      pick(random, place.alertNames),
      drawIncidents(random),
      random.next() < 0.7,
    ),
  'alert goes': ({ world, random, place }) =>
    world.service.removeAlert(pick(random, place.scopes), pick(random, place.alertNames)),
  'alert comes': (cast) => {
    const [scope, name] = [pick(cast.random, cast.place.scopes), pick(cast.random, cast.place.alertNames)];
    if (!cast.world.service.find(scope, name)) cast.world.service.addAlert(scope, drawAlert(cast, name));
  },
  'scope goes for a while': ({ world, random, place }) => {
    const scope = pick(random, place.scopes);
    const alerts = world.service.alertsOf(scope);
    if (!alerts) return;
    world.service.removeScope(scope);
    world.time.schedule(random.next() * 120_000, () => world.service.addScope(scope, alerts));
  },
  'incidents unseen': ({ world, random, place }) => {
    const alert = world.service.find(pick(random, place.scopes), pick(random, place.alertNames));
    if (alert) alert.hiddenIncidents = Math.floor(random.next() * 3);
  },
  'severity changes': ({ world, random, place }) => {
    const alert = world.service.find(pick(random, place.scopes), pick(random, place.alertNames));
    if (alert) alert.severity = pick(random, ['Low', 'High', 'Unheard-of']);
  },
};

const cluster: Readonly<Record<string, Act>> = {
  compact: ({ world }) => world.api.store.compact(),
  'end watches': ({ world }) => world.api.watches.endAll(undefined),
  'watches expire': ({ world }) => world.api.watches.endAll(undefined, new Refusal(410, 'too old resource version')),
  'silent connections': ({ world }) => world.network.silenceAll(kubeOrigin),
  'broken connections': ({ world, random }) => world.network.breakAll(pick(random, [kubeOrigin, serviceOrigin])),
  'forbidden for a while': ({ world, random }) => {
    const plural = pick(random, ['rolealertpolicies', 'rolealertconnections', 'secrets', 'events', 'leases']);
    world.api.isDenied = (call) => call.plural === plural && (call.verb !== 'watch' || random.next() < 0.5);
    world.time.schedule(random.next() * 90_000, () => {
      world.api.isDenied = () => false;
    });
  },
  'crd goes for a while': ({ world, random }) => {
    const plural = pick(random, ['rolealertpolicies', 'rolealertconnections']);
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

const processes: Readonly<Record<string, Act>> = {
  kill: (cast) =>
    withReplica(cast, (replica) => {
      replica.kill();
      restart(cast);
    }),
  terminate: (cast) =>
    withReplica(cast, (replica) => {
      void replica.stop();
      restart(cast);
    }),
  freeze: (cast) =>
    withReplica(cast, (replica) => {
      replica.process.freeze();
      cast.world.time.schedule(cast.random.next() * 80_000, () => replica.process.thaw());
    }),
  'freeze at the next PATCH': ({ world, random }) => {
    const freeze = (process: SimProcess, method: string) => {
      if (method !== 'PATCH') return;
      world.onDispatch.delete(freeze);
      process.freeze();
      world.time.schedule(30_000 + random.next() * 50_000, () => process.thaw());
    };
    world.onDispatch.add(freeze);
  },
  'log is full': (cast) =>
    withReplica(cast, (replica) => {
      replica.isLogFull = true;
    }),
  'step the clock': (cast) =>
    withReplica(cast, (replica) => {
      cast.world.hasWrongClocks = true;
      replica.process.stepWall((cast.random.next() - 0.5) * 2 * 3_600_000);
    }),
};

function withReplica(cast: Cast, act: (replica: Cast['world']['replicas'][number]) => void): void {
  const alive = cast.world.replicas.filter(({ isAlive }) => isAlive);
  if (alive.length > 0) act(pick(cast.random, alive));
}

/** By name. */
export const acts: Readonly<Record<string, Act>> = {
  ...editing,
  ...connecting,
  ...serving,
  ...cluster,
  ...processes,
  ...danger,
  ...credentialActs,
  ...neighbourActs,
};

const always: readonly string[] = [
  ...[editing, connecting, serving, cluster, processes, danger].flatMap(Object.keys),
  'edit',
  'edit',
  'edit',
  'poke',
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
export function deckOf({ traits }: Pick<Cast, 'traits'>): readonly string[] {
  const often = (isSo: boolean | undefined, names: readonly string[], times: number) =>
    isSo ? Array.from({ length: times }, () => names).flat() : [];
  const { 'finalizers hold': _, 'endpoint moves': __, ...rest } = danger;
  const usual = always.filter((name) => !Object.hasOwn(danger, name) || Object.hasOwn(rest, name));
  return [
    ...usual,
    ...often(traits?.isQuarrelsome, ['insist', 'poke'], 4),
    ...often(traits?.hasNeighbours, Object.keys(neighbourActs), 3),
    ...often(traits?.losesCredentials, Object.keys(credentialActs), 3),
    ...often(traits?.moves, ['endpoint moves'], 6),
    ...often(traits?.hasFinalizers, ['finalizers hold'], 6),
  ];
}

/** Whatever was broken for good works again, and somebody is at work. */
export async function repairWorld({ world }: Cast): Promise<void> {
  world.onDispatch.clear();
  world.api.isDenied = () => false;
  world.api.removed.clear();
  world.api.tokens.add('sim-token');
  world.kubeToken = 'sim-token';
  for (const { process } of world.replicas) {
    process.thaw();
    process.stepWall(startOfTimeMs + world.time.nowMs - process.clock.now());
  }
  // One that was frozen for too long ends itself now.
  await world.time.runUntil(world.time.nowMs + 5000);
  if (!world.replicas.some(({ isAlive }) => isAlive)) await world.startReplica();
}
