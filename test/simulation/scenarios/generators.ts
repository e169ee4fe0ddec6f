// The objects of a scenario: namespaces, connections with their credentials, scopes with their alerts. All drawn by seed; the specs
// that people declare are drawn in specs.ts.
import type { Random } from '../../../src/lib/random.ts';
import { canaryClientSecret, canaryToken } from '../../support/checks/canaries.ts';
import { callerOf } from '../alerts/callers.ts';
import { type SimAlert, simAlert, type SimIncident } from '../alerts/sim-alert.ts';
import { startOfTimeMs } from '../engine/sim-process.ts';
import { createNamespace } from '../kube/namespaces.ts';
import { Refusal } from '../kube/object.ts';
import type { Json } from '../kube/spec-rules.ts';
import { serviceOrigin, type World } from '../world.ts';
import { federate } from './accounts.ts';
import { pick } from './schema-walker.ts';
import { drawPolicySpec } from './specs.ts';
import type { Traits } from './traits.ts';
import { windowsIn } from './windows.ts';

export const policyNames = ['owners', 'guests', 'second', 'third'] as const;
export const connectionNames = ['prod', 'other'] as const;
export const alertNames = [
  'TooManyOwnersAssignedToResource',
  'TooManyPermanentOwnersAssignedToResource',
  'DuplicateRoleCreated',
  'RolesAssignedOutside',
] as const;
export const scopes = ['subscriptions/one', 'subscriptions/two', 'Subscriptions/Three/Deeper'] as const;
const severities = ['Low', 'Medium', 'High', 'Catastrophic'] as const;

/** The objects of a scenario. */
export interface Place {
  readonly namespaces: readonly string[];
  readonly scopes: readonly string[];
  /** What policies name. */
  readonly alertNames: readonly string[];
  readonly policyNames: readonly string[];
  readonly intervals: readonly string[];
}

export const plainPlace: Place = {
  namespaces: ['team-a', 'team-b'],
  scopes,
  alertNames,
  policyNames,
  intervals: ['10s', '30s', '1m', '2m'],
};

export interface Generators {
  readonly world: World;
  readonly random: Random;
  /** Draws correction windows; see `drawTraits`. */
  readonly windowRandom?: Random;
  /** Draws what concerns fleets and ServiceAccounts; see `drawTraits`. */
  readonly fleetRandom?: Random;
  /** Until when the scenario acts; virtual milliseconds. */
  readonly actsUntilMs: number;
  readonly place: Place;
  readonly traits?: Traits;
}

export function placeOf(traits: Traits, random: Random): Place {
  const more = Array.from({ length: 4 + Math.floor(random.next() * 3) }, (_, index) => `subscriptions/more-${index}`);
  const isBusy = traits.failingScopes > 0 || traits.isSlow || traits.alerts > 4;
  return {
    ...plainPlace,
    ...(traits.failingScopes > 0 && {
      scopes: [...scopes, ...more],
      policyNames: [...policyNames, 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth'],
    }),
    alertNames: [
      ...alertNames,
      ...Array.from({ length: Math.max(0, traits.alerts - alertNames.length) }, (_, index) => `RoleRule${index}`),
    ],
    ...(isBusy && { intervals: ['30s', '1m', '2m'] }),
    ...(traits.isQuarrelsome && !isBusy && { intervals: ['10s', '30s'] }),
    ...(traits.isLong && { intervals: ['10m', '30m', '1h'] }),
  };
}

export function credentialName(connection: string): string {
  return `${connection}-credential`;
}

/** What a connection's Secret holds at first. */
export function tokenOf(namespace: string, connection: string): string {
  return `${canaryToken}-${namespace}-${connection}`;
}

export function clientSecretOf(namespace: string, connection: string): string {
  return `${canaryClientSecret}-${namespace}-${connection}`;
}

export function setUp(generators: Generators): void {
  const { world, random, place } = generators;
  for (const [index, scope] of place.scopes.entries()) {
    const count =
      index === 0 && place.alertNames.length > 4 ? place.alertNames.length : 2 + Math.floor(random.next() * 3);
    world.service.addScope(
      scope,
      place.alertNames.slice(0, count).map((name) => drawAlert(generators, name)),
    );
  }
  for (const namespace of place.namespaces) {
    createNamespace(world.api, namespace);
    for (const name of connectionNames)
      if (name === 'prod' || random.next() < 0.4) createConnection(generators, namespace, name);
  }
  const count = place.scopes.length > 3 ? place.scopes.length + 2 : 2 + Math.floor(random.next() * 4);
  for (let index = 0; index < count; index++) {
    const namespace = place.scopes.length > 3 ? 'team-a' : pick(random, place.namespaces);
    const name = place.policyNames[index] ?? pick(random, place.policyNames);
    const scope = place.scopes.length > 3 ? { scope: place.scopes[index % place.scopes.length] } : {};
    attempt(() =>
      createPolicy(generators, namespace, place.scopes.length > 3 ? name : pick(random, policyNames), scope),
    );
  }
}

export function drawAlert({ random }: Pick<Generators, 'random'>, name: string): SimAlert {
  const alert = simAlert(name, random.next() < 0.5, startOfTimeMs);
  alert.severity = pick(random, severities);
  alert.isEnabled = random.next() < 0.9;
  alert.incidents = drawIncidents(random);
  return alert;
}

export function drawIncidents(random: Random): SimIncident[] {
  const count = Math.floor(random.next() * 4);
  return Array.from({ length: count }, (_, index) => ({
    id: `incident-${Math.floor(random.next() * 3)}-${index}`,
    type: 'TooManyOwnersAssignedToResourceAlertIncident',
    assigneeName: 'Canary Person',
  }));
}

export function createConnection(
  generators: Generators,
  namespace: string,
  name: string,
  baseURL = spelled(generators),
): void {
  const { api } = generators.world;
  const auth = drawAuth(generators, namespace, name);
  api.writes.create(api.resource('rolealertconnections'), namespace, {
    metadata: { name },
    spec: { endpoint: { baseURL }, auth, ...drawConnectionSettings(generators) },
  });
}

function drawAuth(generators: Generators, namespace: string, name: string): Json {
  const { world, random, traits, fleetRandom } = generators;
  const { service } = world;
  const isClient = random.next() < 0.4;
  if (traits?.hasAccounts && fleetRandom && fleetRandom.next() < 0.5)
    return federate(generators, callerOf('client', namespace, name), { namespace, name });
  const caller = callerOf(isClient ? 'client' : 'token', namespace, name);
  const value = isClient ? clientSecretOf(namespace, name) : tokenOf(namespace, name);
  if (isClient) service.clients.set(caller, value);
  else service.staticTokens.set(value, caller);
  putSecret(generators, namespace, name, value);
  const reference = { name: credentialName(name), key: 'value' };
  return isClient
    ? { clientCredentials: { tokenURL: `${serviceOrigin}/token`, clientID: caller, clientSecretRef: reference } }
    : { tokenSecretRef: reference };
}

/** One address in many spellings. */
export function spelled({ random }: Pick<Generators, 'random'>): string {
  return pick(random, [
    serviceOrigin,
    serviceOrigin,
    serviceOrigin,
    `${serviceOrigin}/`,
    serviceOrigin.replace('alerts', 'ALERTS'),
    `${serviceOrigin}:443`,
    serviceOrigin.replace('https', 'HTTPS'),
  ]);
}

export function drawConnectionSettings(generators: Omit<Generators, 'place' | 'actsUntilMs'>): object {
  const { random, traits } = generators;
  const isSlow = traits?.isSlow === true;
  const isCrowded = (traits?.alerts ?? 0) > 4;
  return {
    deactivation: random.next() < 0.85 ? 'Allow' : 'Deny',
    ...windowsIn(generators),
    limits: {
      requestsPerHour: pick(random, isSlow ? [240, 360] : isCrowded ? [3600, 36_000] : [1200, 3600, 36_000]),
      burst: pick(random, isSlow ? [4, 6, 10] : isCrowded ? [50, 100] : [10, 20, 50]),
      maxConcurrent: isSlow ? 1 : pick(random, [1, 2, 4]),
      requestTimeout: pick(random, ['5s', '30s']),
      minInterval: isSlow ? '1m' : pick(random, ['5s', '30s', '1m']),
      maxPages: 20,
      maxPageBytes: 65_536,
      deactivationsPerHour: pick(random, traits?.isQuarrelsome ? [10, 100, 100] : [1, 3, 10, 100, 100, 100]),
      maxDismissal: pick(random, ['24h', '720h']),
    },
  };
}

export function putSecret(
  { world }: Pick<Generators, 'world'>,
  namespace: string,
  connection: string,
  value: string,
  isLabelled = true,
): void {
  const { api } = world;
  const name = credentialName(connection);
  const sent = {
    metadata: { name, ...(isLabelled && { labels: { 'rolealerts.dev/credential': 'true' } }) },
    data: { value: Buffer.from(value).toString('base64') },
  };
  const secrets = api.resource('secrets');
  if (api.store.get('secrets', `${namespace}/${name}`)) api.writes.replace(secrets, namespace, name, sent);
  else api.writes.create(secrets, namespace, sent);
}

export function createPolicy(generators: Generators, namespace: string, name: string, more: object = {}): void {
  const { api } = generators.world;
  const spec = { ...drawPolicySpec(generators), ...more };
  api.writes.create(api.resource('rolealertpolicies'), namespace, { metadata: { name }, spec });
}

/** What the API server refuses is refused; everything else is a bug of the simulation. */
export function attempt(act: () => void): boolean {
  try {
    act();
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

/** One action of users, other programs or faults. */
export type ScenarioAction = (generators: Generators) => void;

/**
 * Replaces a process that ended: with leader election at once beside the others, without it when the one before has ended, as a
 * Deployment that re-creates does it.
 */
export function restart({ world, random }: Pick<Generators, 'world' | 'random'>): void {
  const start = () => {
    const isElecting = world.replicas.at(-1)?.isElecting === true;
    if (isElecting || !world.replicas.some(({ isAlive }) => isAlive)) void world.startReplica();
    else world.time.schedule(5000, start);
  };
  world.time.schedule(random.next() * 20_000, start);
}
