// Connections of other namespaces to the same service, and what their policies claim there. Some are good neighbours; others have no
// credential, a wrong one, one that may only list, or an address that cannot be used. None of it changes what an operator does for others.
import { callerOf } from '../alerts/callers.ts';
import { refusingKinds } from '../faults/lasting-faults.ts';
import { createNamespace } from '../kube/namespaces.ts';
import type { Json } from '../kube/spec-rules.ts';
import { serviceOrigin, untrustedOrigin } from '../world.ts';
import {
  attempt,
  credentialName,
  drawConnectionSettings,
  type Generators,
  putSecret,
  type ScenarioAction,
  spelled,
  tokenOf,
} from './generators.ts';
import { pick } from './schema-walker.ts';
import { drawPolicySpec } from './specs.ts';

const name = 'prod';

/** How a neighbour is (not) able to use the service, and how often. */
const kinds = [
  'good',
  'good',
  'no secret',
  'no secret',
  'wrong credential',
  'wrong credential',
  'unlabelled',
  'refused',
  'reading',
  'observing',
  'untrusted',
  'plain http',
  'no bundle',
  'no login',
] as const;
type Kind = (typeof kinds)[number];

export function setUpNeighbours(generators: Generators): void {
  const count = 1 + Math.floor(generators.random.next() * 3);
  for (let index = 0; index < count; index++) addNeighbour(generators);
}

function addNeighbour(generators: Generators): void {
  const { world, random } = generators;
  const number = world.api.store.list('namespaces').filter(({ metadata }) => metadata.name.startsWith('guest')).length;
  if (number >= 5) return;
  const namespace = `guest-${number}`;
  createNamespace(world.api, namespace);
  const kind = pick(random, kinds);
  createNeighbour(generators, namespace, kind);
  const policies = 1 + Math.floor(random.next() * 2);
  for (let index = 0; index < policies; index++) addPolicy(generators, namespace, kind);
}

function createNeighbour(generators: Generators, namespace: string, kind: Kind): void {
  const { world, place, random } = generators;
  const { api, service } = world;
  const token = tokenOf(namespace, name);
  const caller = callerOf('token', namespace, name);
  if (kind !== 'wrong credential') service.staticTokens.set(token, caller);
  if (kind !== 'no secret') putSecret(generators, namespace, name, token, kind !== 'unlabelled');
  if (kind === 'reading') service.accounts.readers.add(caller);
  if (kind === 'refused') {
    for (const scope of place.scopes) {
      const name = pick(random, refusingKinds);
      world.lasting.all.push({ origin: serviceOrigin, scope, name, fromMs: 0, connection: `${namespace}/prod` });
    }
  }
  const reference = { name: credentialName(name), key: 'value' };
  const login = { tokenURL: 'https://nowhere.sim/token', clientID: caller, clientSecretRef: reference };
  const auth = kind === 'no login' ? { clientCredentials: login } : { tokenSecretRef: reference };
  const endpoint = {
    baseURL: kind === 'untrusted' ? untrustedOrigin : kind === 'plain http' ? 'http://alerts.sim' : spelled(generators),
    ...(kind === 'no bundle' && { caBundleRef: { name: 'missing' } }),
  };
  const spec = { endpoint, auth, ...drawConnectionSettings(generators) };
  attempt(() => api.writes.create(api.resource('rolealertconnections'), namespace, { metadata: { name }, spec }));
}

/** It claims what others claim, and mostly the opposite of everything. */
function addPolicy(generators: Generators, namespace: string, kind?: Kind): void {
  const { world, random, place } = generators;
  const { api } = world;
  const scope = pick(random, [...place.scopes.slice(0, 3), place.scopes[0]?.toUpperCase() ?? '']);
  const names = place.alertNames.slice(0, 4);
  const dismissal = { reason: 'a neighbour says so', until: '2026-01-02T00:00:00Z' };
  const claims = [
    { unlisted: { state: 'Active', minSeverity: 'Low' } },
    { alerts: names.map((alert) => ({ name: alert, state: 'Active' })) },
    { alerts: names.map((alert) => ({ name: alert, state: 'Inactive', dismissal })) },
    drawPolicySpec(generators),
  ];
  const interval = pick(random, place.intervals);
  const { suspendUntil: _, ...claim }: Json = pick(random, claims);
  const spec = {
    interval,
    ...claim,
    mode: kind === 'observing' ? 'Observe' : 'Enforce',
    suspend: random.next() < 0.1,
    scope,
    connectionRef: { name },
  };
  const policyName = pick(random, place.policyNames);
  attempt(() =>
    api.writes.create(api.resource('rolealertpolicies'), namespace, { metadata: { name: policyName }, spec }),
  );
}

function withNeighbour(generators: Generators, act: (namespace: string) => void): void {
  const all = generators.world.api.store
    .list('namespaces')
    .map(({ metadata }) => metadata.name)
    .filter((namespace) => namespace.startsWith('guest'));
  if (all.length > 0) act(pick(generators.random, all));
}

export const neighbourActions: Readonly<Record<string, ScenarioAction>> = {
  'neighbour comes': (generators) => addNeighbour(generators),
  'neighbour claims': (generators) => withNeighbour(generators, (namespace) => addPolicy(generators, namespace)),
  'neighbour loses its secret': (generators) =>
    withNeighbour(generators, (namespace) => {
      const { api } = generators.world;
      attempt(() => api.writes.delete(api.resource('secrets'), namespace, credentialName(name)));
    }),
  'neighbour goes': (generators) =>
    withNeighbour(generators, (namespace) => {
      const { api } = generators.world;
      attempt(() => api.writes.delete(api.resource('rolealertconnections'), namespace, name));
    }),
};
