// Actions around deactivations: dismissals that begin, and everything that may end them between the plan and its PATCH.
import { keyOfCaller } from '../alerts/callers.ts';
import {
  allConnections,
  connectionAt,
  connectionKeyOf,
  connectionPlurals,
  keyAnywhere,
  pluralOf,
} from '../kube/connection-keys.ts';
import type { StoredObject } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
import { kubeOrigin } from '../replica.ts';
import { otherOrigin, type World } from '../world.ts';
import { attempt, type Generators, restart, type ScenarioAction, spelled } from './generators.ts';
import { pick } from './schema-walker.ts';
import { drawPolicySpec, drawSuspension, resumption } from './specs.ts';

/** The finalizer of another program. */
const hold = 'example.dev/hold';

const policiesOf = ({ world }: Generators) => world.api.store.list('rolealertpolicies');

function connectionOf(world: World, policy: StoredObject): StoredObject | undefined {
  return connectionAt(world.api.store, connectionKeyOf(policy));
}

function dismissing(generators: Generators): StoredObject[] {
  return policiesOf(generators).filter(({ spec = {} }) =>
    ((spec['alerts'] ?? []) as readonly Json[]).some(({ state }) => state === 'Inactive'),
  );
}

function replaceSpec(generators: Generators, { metadata }: StoredObject, spec: unknown): void {
  const { api } = generators.world;
  const { namespace = '', name } = metadata;
  attempt(() => api.writes.replace(api.resource('rolealertpolicies'), namespace, name, { metadata: { name }, spec }));
}

function patch(generators: Generators, plural: string, { metadata }: StoredObject, body: object): void {
  const { api } = generators.world;
  attempt(() => api.writes.mergePatch(api.resource(plural), metadata.namespace, metadata.name, { ...body }));
}

/** Withdraws the declaration of a dismissal, in every possible way. */
const withdrawals: readonly ((generators: Generators, policy: StoredObject) => void)[] = [
  (generators, policy) => replaceSpec(generators, policy, drawPolicySpec(generators, policy.spec)),
  (generators, policy) => {
    const alerts = ((policy.spec?.['alerts'] ?? []) as readonly Json[]).map(({ name }) => ({ name, state: 'Active' }));
    patch(generators, 'rolealertpolicies', policy, { spec: { alerts } });
  },
  (generators, policy) => patch(generators, 'rolealertpolicies', policy, { spec: drawSuspension(generators) }),
  (generators, { metadata }) => {
    const { api } = generators.world;
    attempt(() => api.writes.delete(api.resource('rolealertpolicies'), metadata.namespace, metadata.name));
  },
  (generators, { metadata, spec = {} }) => {
    const { api } = generators.world;
    const { namespace = '', name } = metadata;
    attempt(() => api.writes.delete(api.resource('rolealertpolicies'), namespace, name));
    const { alerts: _, ...rest } = spec;
    attempt(() => api.writes.create(api.resource('rolealertpolicies'), namespace, { metadata: { name }, spec: rest }));
  },
  (generators, policy) => {
    const connection = connectionOf(generators.world, policy);
    if (connection) patch(generators, pluralOf(connection), connection, { spec: { deactivation: 'Deny' } });
  },
];

function withdraw(generators: Generators, policy: StoredObject): void {
  pick(generators.random, withdrawals)(generators, policy);
}

/**
 * Calls once, when a process next sends a deactivation; `isPlanned` from the moment at which its entry is written. Ends with
 * the acts: a deactivation that a damping window held until then must not start another act.
 */
export function atNextDeactivation(
  { world, actsUntilMs }: Generators,
  isPlanned: boolean,
  run: (connection: string, scope: string) => void,
): void {
  let isOver = false;
  const once = (connection: string, scope: string) => {
    if (!isOver && world.time.nowMs <= actsUntilMs) run(connection, scope);
    isOver = true;
  };
  if (!isPlanned) {
    world.onCall(({ kind, isActive, caller, scope }) => {
      if (kind === 'patch' && isActive === false && caller !== undefined) once(keyOfCaller(caller), scope);
    });
    return;
  }
  world.api.onWrite.push((_request, { resource, isStatus }, object) => {
    if (!connectionPlurals.includes(resource.plural) || !isStatus || isOver) return;
    const [entry] = ((object.status ?? {})['dismissals'] ?? []) as readonly Json[];
    const newest = ((object.status ?? {})['dismissals'] ?? []) as readonly Json[];
    const last = newest.toSorted((a, b) => (String(a['since']) < String(b['since']) ? 1 : -1))[0] ?? entry;
    if (last) once(keyAnywhere(object), String(last['scope']));
  });
}

function withdrawAt(generators: Generators, connection: string, scope: string): void {
  const found = dismissing(generators).find(
    (policy) =>
      String(policy.spec?.['scope']).toLowerCase() === scope.toLowerCase() && connectionKeyOf(policy) === connection,
  );
  if (found) withdraw(generators, found);
}

export const danger: Readonly<Record<string, ScenarioAction>> = {
  /** Alerts that are on, and a dismissal that the connection allows. */
  dismiss: (generators) => {
    const { world, random, place } = generators;
    const all = policiesOf(generators).filter((policy) => connectionOf(world, policy) !== undefined);
    if (all.length === 0) return;
    const policy = pick(random, all);
    const connection = connectionOf(world, policy);
    const scope = String(policy.spec?.['scope']);
    const names = place.alertNames.slice(0, 4).filter(() => random.next() < 0.6);
    const until = new Date(Date.UTC(2026, 0, 1) + world.time.nowMs + pick(random, [45_000, 3_600_000, 72_000_000]));
    const dismissal = { reason: 'tracked in SEC-1182', until: until.toISOString().replace(/\.\d+Z/, 'Z') };
    const alerts = names.map((name) => ({ name, state: 'Inactive', dismissal }));
    if (alerts.length === 0 || !connection) return;
    if (random.next() < 0.9) patch(generators, pluralOf(connection), connection, { spec: { deactivation: 'Allow' } });
    for (const name of names) {
      if (random.next() < 0.8) world.service.turn(scope, name, true, pick(random, ['User', 'Application']));
    }
    patch(generators, 'rolealertpolicies', policy, { spec: { alerts, ...resumption, mode: 'Enforce' } });
  },
  /** Alerts that are off, and a policy that wants them active. */
  insist: (generators) => {
    const { world, random, place } = generators;
    const all = policiesOf(generators).filter((policy) => connectionOf(world, policy) !== undefined);
    if (all.length === 0) return;
    const policy = pick(random, all);
    const names = place.alertNames.slice(0, 4).filter(() => random.next() < 0.6);
    const alerts = names.map((name) => ({ name, state: 'Active' }));
    if (alerts.length === 0) return;
    for (const name of names) world.service.turn(String(policy.spec?.['scope']), name, false, 'User');
    patch(generators, 'rolealertpolicies', policy, { spec: { alerts, ...resumption, mode: 'Enforce' } });
  },
  'withdraw while watches are silent': (generators) => {
    const all = dismissing(generators);
    if (all.length === 0) return;
    generators.world.network.silenceAll(kubeOrigin);
    withdraw(generators, pick(generators.random, all));
  },
  'withdraw once it is entered': (generators) => {
    atNextDeactivation(generators, true, (connection, scope) => {
      const delayMs = pick(generators.random, [0, 20, 200, 5000]);
      generators.world.time.schedule(delayMs, () => withdrawAt(generators, connection, scope));
    });
  },
  'withdraw once it is sent': (generators) => {
    atNextDeactivation(generators, false, (connection, scope) => {
      generators.world.time.schedule(generators.random.next() * 2000, () => withdrawAt(generators, connection, scope));
    });
  },
  'kill once it is sent': (generators) => {
    const { world, random } = generators;
    atNextDeactivation(generators, random.next() < 0.5, () => {
      world.time.schedule(random.next() * 300, () => {
        for (const replica of world.replicas.filter(({ isAlive }) => isAlive)) replica.kill();
        restart({ world, random });
      });
    });
  },
  'incidents once it is entered': (generators) => {
    const { world, random, place } = generators;
    atNextDeactivation(generators, true, (_connection, scope) => {
      for (const name of place.alertNames.slice(0, 4)) {
        const incidents = [5, 6, 7, 8, 9, 10].map((number) => ({
          id: `new-${number}-${Math.floor(world.time.nowMs)}`,
          type: 'TooManyOwnersAssignedToResourceAlertIncident',
          assigneeName: 'Canary Person',
        }));
        if (random.next() < 0.7) world.service.scan(scope, name, incidents);
      }
    });
  },
  'request a reconcile at length': (generators) => {
    const all = policiesOf(generators);
    if (all.length === 0) return;
    const annotations = { 'rolealerts.dev/requestedAt': 'long '.repeat(80) };
    patch(generators, 'rolealertpolicies', pick(generators.random, all), { metadata: { annotations } });
  },
  'respell an alert': ({ world, random, place }) => {
    const alert = world.service.find(pick(random, place.scopes), pick(random, place.alertNames));
    if (alert) alert.name = random.next() < 0.5 ? alert.name.toLowerCase() : alert.name.toUpperCase();
  },
  'delete connection for good': (generators) => {
    const all = allConnections(generators.world.api.store);
    if (all.length < 2) return;
    const connection = pick(generators.random, all);
    const { api } = generators.world;
    const { namespace, name } = connection.metadata;
    attempt(() => api.writes.delete(api.resource(pluralOf(connection)), namespace, name));
  },
  'scope goes for good': ({ world, random, place }) => {
    if (random.next() < 0.2) world.service.removeScope(pick(random, place.scopes));
  },
  'spell the endpoint': (generators) => {
    const all = allConnections(generators.world.api.store);
    if (all.length === 0) return;
    const connection = pick(generators.random, all);
    patch(generators, pluralOf(connection), connection, { spec: { endpoint: { baseURL: spelled(generators) } } });
  },
  'endpoint moves': (generators) => {
    const all = allConnections(generators.world.api.store);
    if (all.length === 0) return;
    const baseURL = generators.random.next() < 0.7 ? otherOrigin : spelled(generators);
    const connection = pick(generators.random, all);
    patch(generators, pluralOf(connection), connection, { spec: { endpoint: { baseURL } } });
  },
  'finalizers hold': (generators) => {
    const { world, random } = generators;
    const { store, writes } = world.api;
    const plural = pick(random, ['rolealertpolicies', 'rolealertconnections']);
    const all = store.list(plural).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (all.length < 2) return;
    const object = pick(random, all);
    const { namespace, name, uid, finalizers = [] } = object.metadata;
    store.put(plural, { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, hold] } });
    attempt(() => writes.delete(world.api.resource(plural), namespace, name));
    if (random.next() < 0.5) return;
    world.time.schedule(random.next() * 600_000, () => {
      const held = store.get(plural, `${namespace}/${name}`);
      if (held?.metadata.uid !== uid) return;
      // That of the operator stays.
      const others = (held.metadata.finalizers ?? []).filter((each) => each !== hold);
      const change = { metadata: { finalizers: others } };
      attempt(() => writes.mergePatch(world.api.resource(plural), namespace, name, change));
    });
  },
};
