// A ClusterRoleAlertConnection `shared` in a drawn world: its credential, its entries, the labels of the namespaces, and what their owners
// and its own do to all of that. Its draws are its own, so that worlds without it stay as they are.
import type { Random } from '../../../src/lib/random.ts';
import { callerOf } from '../alerts/callers.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import { resourceNamespace } from '../kube/connection-keys.ts';
import type { Json } from '../kube/spec-rules.ts';
import { serviceOrigin } from '../world.ts';
import { federate } from './accounts.ts';
import { atNextDeactivation } from './danger.ts';
import { fleetName } from './fleet-reference.ts';
import {
  attempt,
  clientSecretOf,
  credentialName,
  drawConnectionSettings,
  type Generators,
  putSecret,
  type ScenarioAction,
  spelled,
  tokenOf,
} from './generators.ts';
import { pick } from './schema-walker.ts';
import { putBack, steal, thefts } from './thieves.ts';

/** The generators with the draws of the fleet. */
export function ofFleet(generators: Generators): Generators {
  return { ...generators, random: generators.fleetRandom ?? generators.random };
}

export function setUpFleet(generators: Generators): void {
  const fleet = ofFleet(generators);
  for (const name of fleet.place.namespaces) label(fleet, name, { team: name });
  createFleetConnection(fleet);
}

/** Throws a `Refusal` when it is there already. */
export function createFleetConnection(generators: Generators): void {
  const { api } = generators.world;
  api.writes.create(api.resource('clusterrolealertconnections'), undefined, {
    metadata: { name: fleetName },
    spec: {
      endpoint: { baseURL: spelled(generators) },
      auth: drawAuth(generators),
      access: drawAccess(generators),
      ...drawConnectionSettings(generators),
    },
  });
}

function drawAuth(generators: Generators): Json {
  const { world, random } = generators;
  const { service } = world;
  const kind = pick(random, ['token', 'client', 'account'] as const);
  const caller = callerOf(kind === 'token' ? 'token' : 'client', '', fleetName);
  if (kind === 'account') return federate(generators, caller, { namespace: resourceNamespace, name: fleetName });
  const isToken = kind === 'token';
  const value = isToken ? tokenOf(resourceNamespace, fleetName) : clientSecretOf(resourceNamespace, fleetName);
  if (isToken) service.staticTokens.set(value, caller);
  else service.clients.set(caller, value);
  attempt(() => putSecret(generators, resourceNamespace, fleetName, value));
  const reference = { name: credentialName(fleetName), key: 'value' };
  if (isToken) return { tokenSecretRef: reference };
  return { clientCredentials: { tokenURL: `${serviceOrigin}/token`, clientID: caller, clientSecretRef: reference } };
}

/** Mostly something for all namespaces, beside entries that allow less. */
function drawAccess({ random, place }: Generators): Json[] {
  const allowed = (share: number) => (random.next() < share ? 'Allow' : 'Deny');
  const [scope = ''] = place.scopes;
  const prefixes = ['subscriptions', 'subscriptions', ...place.scopes, scope.toUpperCase(), 'subscriptions/o'];
  const selectors: Json[] = [{}, ...place.namespaces.map((team) => ({ matchLabels: { team } }))];
  const entries = Array.from({ length: 1 + Math.floor(random.next() * 3) }, () => ({
    namespaceSelector: pick(random, selectors),
    scopes: [pick(random, prefixes)],
    maxMode: random.next() < 0.8 ? 'Enforce' : 'Observe',
    deactivation: allowed(0.7),
    unlisted: allowed(0.7),
  }));
  const open = {
    namespaceSelector: pick(random, [{}, ...selectors]),
    scopes: ['subscriptions'],
    maxMode: 'Enforce',
    deactivation: 'Allow',
    unlisted: 'Allow',
  };
  return random.next() < 0.7 ? [...entries, open] : entries;
}

/** These labels and no others. */
export function label({ world: { api } }: Pick<Generators, 'world'>, name: string, labels: Json): void {
  const before = api.store.get('namespaces', name)?.metadata.labels ?? {};
  const gone = Object.fromEntries(Object.keys(before).map((key) => [key, null]));
  const metadata = { labels: { ...gone, ...labels } } as never;
  attempt(() => api.writes.mergePatch(api.resource('namespaces'), undefined, name, { metadata }));
}

function editFleet({ world: { api } }: Generators, spec: Json): void {
  attempt(() => api.writes.mergePatch(api.resource('clusterrolealertconnections'), undefined, fleetName, { spec }));
}

const accessOf = ({ world: { api } }: Generators): readonly Json[] =>
  (api.store.get('clusterrolealertconnections', fleetName)?.spec?.['access'] ?? []) as readonly Json[];

function later({ world, random }: Generators, act: () => void): void {
  if (random.next() < 0.8) world.time.schedule(random.next() * 60_000, act);
}

function dismissalFor({ time }: Generators['world']): { readonly reason: string; readonly until: string } {
  const until = new Date(startOfTimeMs + time.nowMs + 3_600_000).toISOString().replace(/\.\d+Z/, 'Z');
  return { reason: 'tracked in SEC-1182', until };
}

/** A later end, more incidents, or a larger maximum for every dismissal of one policy, also beyond what is allowed. */
function widen({ world, random }: Generators): void {
  const policies = world.api.store.list('rolealertpolicies');
  const dismissing = policies.filter(({ spec = {} }) => JSON.stringify(spec['alerts'] ?? []).includes('dismissal'));
  if (dismissing.length === 0) return;
  const { metadata, spec = {} } = pick(random, dismissing);
  const lines = (spec['alerts'] ?? []) as readonly Json[];
  const alerts = lines.map((line) =>
    line['state'] === 'Inactive' ? { ...line, dismissal: wider(line, random) } : line,
  );
  const { api } = world;
  const { namespace, name } = metadata;
  attempt(() => api.writes.mergePatch(api.resource('rolealertpolicies'), namespace, name, { spec: { alerts } }));
}

function wider({ dismissal }: Json, random: Random): Json {
  const { incidents, maxIncidents, ...rest } = dismissal as Json;
  const until = pick(random, ['2026-01-01T22:00:00Z', '2026-01-20T00:00:00Z', '2026-12-31T00:00:00Z']);
  const all = [0, 1, 2].flatMap((first) => [0, 1, 2].map((second) => `incident-${first}-${second}`));
  const more = Array.isArray(incidents) ? { incidents: all } : { maxIncidents: Number(maxIncidents ?? 1) * 100 };
  return pick(random, [
    { ...(dismissal as Json), until },
    { ...rest, until, ...more },
    { ...rest, until },
  ]);
}

const actions: Readonly<Record<string, ScenarioAction>> = {
  'label flips': (generators) => {
    const { random, place } = generators;
    const name = pick(random, place.namespaces);
    label(generators, name, pick<Json>(random, [{}, {}, ...place.namespaces.map((team) => ({ team }))]));
    later(generators, () => label(generators, name, { team: name }));
  },
  'entry goes': (generators) => {
    const before = accessOf(generators);
    const [, ...rest] = before;
    editFleet(generators, { access: rest });
    later(generators, () => editFleet(generators, { access: before }));
  },
  'entries change': (generators) => editFleet(generators, { access: drawAccess(generators) }),
  'scope is forged': (generators) => {
    const { world, random, place } = generators;
    const scope = pick(random, place.scopes);
    const forged = pick(random, [
      scope.toUpperCase(),
      `${scope}x`,
      `${scope}/providers/x`,
      'subscriptions',
      `${scope}/..`,
    ]);
    const alerts = place.alertNames
      .slice(0, 2)
      .map((name) => ({ name, state: 'Inactive', dismissal: dismissalFor(world) }));
    const unlisted = { state: 'Active', minSeverity: 'Low' };
    const connectionRef = { kind: 'ClusterRoleAlertConnection', name: fleetName };
    const spec = { connectionRef, scope: forged, interval: '30s', alerts, unlisted };
    const { writes } = world.api;
    const policies = world.api.resource('rolealertpolicies');
    const namespace = pick(random, place.namespaces);
    attempt(() => writes.create(policies, namespace, { metadata: { name: 'forged' }, spec }));
    world.time.schedule(random.next() * 120_000, () => attempt(() => writes.delete(policies, namespace, 'forged')));
  },
  'credential is stolen': (generators) => {
    const { world, random, place } = generators;
    const namespace = pick(random, place.namespaces);
    const { until } = dismissalFor(world);
    const target = { namespace, secret: credentialName(fleetName), scope: pick(random, place.scopes), until };
    attempt(() => steal(world, pick(random, thefts), { ...target, alerts: place.alertNames.slice(0, 2) }));
    world.time.schedule(random.next() * 120_000, () => putBack(world, namespace));
  },
  'dismissal widens': (generators) => widen(generators),
  'dismissal widens once it is entered': (generators) => {
    const { world } = generators;
    atNextDeactivation(generators, true, () =>
      world.time.schedule(generators.random.next() * 300, () => widen(generators)),
    );
  },
  'fleet secret goes for a while': (generators) => {
    const { api } = generators.world;
    const key = `${resourceNamespace}/${credentialName(fleetName)}`;
    const encoded = (api.store.get('secrets', key)?.['data'] as Json | undefined)?.['value'];
    if (typeof encoded !== 'string') return;
    const value = Buffer.from(encoded, 'base64').toString('utf8');
    const isLabelled = false;
    if (generators.random.next() < 0.5)
      attempt(() => api.writes.delete(api.resource('secrets'), resourceNamespace, credentialName(fleetName)));
    else putSecret(generators, resourceNamespace, fleetName, value, isLabelled);
    later(generators, () => attempt(() => putSecret(generators, resourceNamespace, fleetName, value)));
  },
};

/** Each draws from the draws of the fleet. */
export const fleetActions: Readonly<Record<string, ScenarioAction>> = Object.fromEntries(
  Object.entries(actions).map(([name, act]) => [name, (generators: Generators) => act(ofFleet(generators))]),
);
