// Worlds with one scope that the test watches, and many things elsewhere that do not concern it: other scopes, other policies on one
// scope, connections of other teams to the same service, dismissals in the ledger.
import { canaryToken } from '../../support/checks/canaries.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import { addScope, createFixture, createPolicy, namespace } from '../fixture.ts';
import { createNamespace } from '../kube/namespaces.ts';
import type { SimResource } from '../kube/resources.ts';
import { serviceOrigin, type World } from '../world.ts';

export type Kind = 'scopes' | 'policies' | 'connections' | 'dismissals';

export const ownScope = 'subscriptions/own';
export const ownPolicy = 'own';
export const ownSpec = { scope: ownScope, interval: '5m', alerts: [{ name: 'A', state: 'Active' }] };

/** Nothing elsewhere is due again while the test runs. */
const rareInterval = '24h';
const limits = { requestsPerHour: 1_000_000, burst: 10_000, maxConcurrent: 16 };

export function createWorld(resources: readonly SimResource[], kind: Kind, size: number): World {
  const names = Array.from({ length: size }, (_, index) => `n${index}`);
  const world = createFixture(resources, {
    seed: 1,
    connection: { limits },
    values: { leaderElect: false },
    isTraced: false,
    // What overtakes what must not depend on how often chance was asked before.
    latencyMs: [5, 5],
  });
  addScope(world, ownScope, { A: true, B: true, C: true });
  createPolicy(world, ownPolicy, ownSpec);
  for (const name of names) add[kind](world, name);
  if (kind === 'dismissals') fillLedger(world, names);
  return world;
}

const add: Record<Kind, (world: World, name: string) => void> = {
  scopes: (world, name) => addElsewhere(world, name, `subscriptions/${name}`, {}),
  policies: (world, name) => addElsewhere(world, name, 'subscriptions/elsewhere', {}),
  connections: addTeam,
  dismissals: (world, name) => addElsewhere(world, name, `subscriptions/${name}`, dismissal),
};

const dismissal = { state: 'Inactive', dismissal: { reason: 'accepted', until: '2026-01-20T00:00:00Z' } };

function addElsewhere(world: World, name: string, scope: string, alert: object): void {
  addScope(world, scope, { A: !('dismissal' in alert) });
  createPolicy(world, name, { scope, interval: rareInterval, alerts: [{ name: 'A', state: 'Active', ...alert }] });
}

/** Another team, with a connection of its own to the same service. */
function addTeam(world: World, name: string): void {
  const { api } = world;
  createNamespace(api, name);
  api.writes.create(api.resource('secrets'), name, {
    metadata: { name: 'credential', labels: { 'rolealerts.dev/credential': 'true' } },
    data: { token: Buffer.from(canaryToken).toString('base64') },
  });
  api.writes.create(api.resource('rolealertconnections'), name, {
    metadata: { name: 'prod' },
    spec: {
      endpoint: { baseURL: serviceOrigin },
      auth: { tokenSecretRef: { name: 'credential', key: 'token' } },
      limits,
    },
  });
  addScope(world, `subscriptions/${name}`, { A: true });
  api.writes.create(api.resource('rolealertpolicies'), name, {
    metadata: { name: 'policy' },
    spec: {
      connectionRef: { name: 'prod' },
      scope: `subscriptions/${name}`,
      interval: rareInterval,
      alerts: [{ name: 'A', state: 'Active' }],
    },
  });
}

/** As an operator left it that ended before. */
function fillLedger({ api }: World, names: readonly string[]): void {
  const since = new Date(startOfTimeMs).toISOString().replace('.000', '');
  const dismissals = names.map((name) => ({
    scope: `subscriptions/${name}`,
    alert: 'A',
    policy: `${namespace}/${name}`,
    since,
    ...dismissal.dismissal,
  }));
  const status = { observedGeneration: -1, dismissalCount: names.length, dismissals };
  const resource = api.resource('rolealertconnections');
  const version = api.store.get('rolealertconnections', `${namespace}/prod`)?.metadata.resourceVersion ?? '';
  api.writes.replaceStatus(resource, namespace, 'prod', {
    metadata: { name: 'prod', resourceVersion: version },
    status,
  });
}
